"""Tools that read, edit, write or delete one named file.

A tool counts where its name is one of those that agents use for files and an argument names the file.
Source: recorded sessions of Claude Code, SWE-agent, OpenHands, Cline, Roo Code, opencode, Gemini CLI; Anthropic's text editor tool (``command``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import ClassVar

from ctxcore.counted import count
from ctxcore.model import Json
from ctxcore.state.extract.protocol import changed_lines, clean_path, lines_of, text_at
from ctxcore.state.values import Action, Touch
from ctxcore.tool_uses import ToolUse

PATHS = (
    *("file_path", "filePath", "path", "notebook_path", "filename", "file_name", "filepath", "file", "absolute_path", "absolutePath"),
    *("target_file", "targetFile"),
)
"""Arguments that name the file."""

ACTIONS: dict[str, Action] = {
    **dict.fromkeys(("read", "readfile", "view", "viewfile", "openfile", "open", "fsread", "notebookread", "fileread", "getfilecontents"), "read"),
    **dict.fromkeys(("edit", "editfile", "multiedit", "strreplace", "replace", "replaceinfile", "searchreplace", "applydiff"), "edit"),
    **dict.fromkeys(("notebookedit", "insertcontent", "editnotebook", "fileedit", "fsreplace", "applyedit"), "edit"),
    **dict.fromkeys(("write", "writefile", "writetofile", "createfile", "create", "filewrite", "fswrite", "savefile"), "write"),
    **dict.fromkeys(("deletefile", "removefile"), "delete"),
}
"""Tool names in lower case without separators, and what they do."""

EDITORS = frozenset({"strreplaceeditor", "strreplacebasededittool", "texteditor", "texteditorcodeexecution", "editor", "fileeditor"})
"""Tools whose ``command`` says what they do."""

COMMANDS: dict[str, Action] = {"view": "read", "create": "write", "str_replace": "edit", "insert": "edit", "undo_edit": "edit"}
"""Commands of an editor tool."""

FOLDER_LISTING = "files and directories up to"
"""In the result of a view of a folder."""


class FileTools:
    """See the module."""

    name: ClassVar[str] = "file-tools"
    looks_for: ClassVar[str] = (
        "Read, Edit, Write, read_file, write_file, edit_file, str_replace_editor and the like, where an argument names the file"
    )

    def touches(self, use: ToolUse) -> tuple[Touch, ...]:
        """See ``Extractor.touches``."""
        arguments = use.arguments
        path = text_at(arguments, *PATHS)
        action = COMMANDS.get(text_at(arguments, "command")) if use.word in EDITORS else ACTIONS.get(use.word)
        if not path or action is None or (action == "read" and use.result and FOLDER_LISTING in use.result.text[:400]):
            return ()
        repository = text_at(arguments, "repo")
        name = f"{repository}:{clean_path(path)}" if repository else clean_path(path)
        value, detail = _content(action, arguments)
        return (Touch(kind="file", name=name, action=action, value=value, detail=detail),)


def _content(action: Action, arguments: Mapping[str, Json]) -> tuple[str, str]:
    """Short hash of recorded content, and how much of the file is concerned."""
    if action == "write":
        content = next((arguments[k] for k in ("content", "file_text", "contents", "text") if isinstance(arguments.get(k), str)), None)
        return ("", "") if content is None else (content_hash(content), count(lines_of(content), "line"))
    if action == "edit":
        old = text_at(arguments, "old_string", "old_str", "oldText", "old_text", "search", "oldString", "old")
        new = text_at(arguments, "new_string", "new_str", "newText", "new_text", "replace", "newString", "new_source", "new")
        edits = arguments.get("edits")
        return "", count(len(edits), "edit") if isinstance(edits, list) else changed_lines(old, new) if old or new else ""
    return "", _span(arguments) if action == "read" else ""


def content_hash(text: str) -> str:
    """The first 8 hexadecimal digits of a content's BLAKE2 hash."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _span(arguments: Mapping[str, Json]) -> str:
    """Which lines a read asks for; empty for the whole file."""
    span = arguments.get("view_range")
    if isinstance(span, list) and len(span) == 2 and all(isinstance(n, int) for n in span):
        return f"lines {span[0]} to {'the end' if span[1] == -1 else span[1]}"
    start, count = arguments.get("offset"), arguments.get("limit")
    if not isinstance(start, int) and not isinstance(count, int):
        return ""
    first = start if isinstance(start, int) else 1
    return f"lines {first} to {first + count - 1}" if isinstance(count, int) else f"from line {first}"

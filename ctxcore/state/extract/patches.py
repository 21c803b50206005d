"""Patches that name the files they change: ``apply_patch`` of Codex, as the tool's input or inside a shell command.

Source: OpenAI's apply_patch format: ``*** Update File: PATH``, ``*** Add File:``, ``*** Delete File:``, ``*** Move to:``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from ctxcore.counted import count
from ctxcore.model import Json
from ctxcore.state.extract.file_tools import content_hash
from ctxcore.state.extract.protocol import clean_path, lines_of, text_at
from ctxcore.state.values import Action, Touch
from ctxcore.tool_uses import ToolUse

BEGIN = "*** Begin Patch"
HEAD = re.compile(r"^\*\*\* (Update|Add|Delete) File: (.+?)\s*$", re.MULTILINE)
MOVE = re.compile(r"^\*\*\* Move to: (.+?)\s*$", re.MULTILINE)
ACTIONS: dict[str, Action] = {"Update": "edit", "Add": "write", "Delete": "delete"}


class Patches:
    """See the module."""

    name: ClassVar[str] = "patches"
    looks_for: ClassVar[str] = "apply_patch (Codex), as a tool or in a shell command"

    def touches(self, use: ToolUse) -> tuple[Touch, ...]:
        """See ``Extractor.touches``."""
        if BEGIN not in use.tool.arguments:
            return ()
        arguments = use.arguments
        text = next((t for t in (_texts(arguments) if arguments else iter([use.tool.arguments])) if BEGIN in t), "")
        return tuple(_touches(text[text.index(BEGIN) :], text_at(arguments, "workdir", "cwd"))) if text else ()


def _texts(value: Json) -> Iterator[str]:
    """Every text in the arguments."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _touches(patch: str, folder: str) -> Iterator[Touch]:
    heads = list(HEAD.finditer(patch))
    for place, head in enumerate(heads):
        body = patch[head.end() : heads[place + 1].start() if place + 1 < len(heads) else None]
        path, action = clean_path(head[2], folder), ACTIONS[head[1]]
        added = [line[1:] for line in body.splitlines() if line.startswith("+")]
        removed = sum(line.startswith("-") for line in body.splitlines())
        value, detail = "", f"+{len(added)} −{removed} lines" if action == "edit" else ""
        if action == "write":
            content = "".join(f"{line}\n" for line in added)
            value, detail = content_hash(content), count(lines_of(content), "line")
        moved = MOVE.search(body)
        if moved:
            yield Touch(kind="file", name=path, action="delete", detail="moved")
            yield Touch(kind="file", name=clean_path(moved[1], folder), action="write", detail=f"moved from {path}")
        else:
            yield Touch(kind="file", name=path, action=action, value=value, detail=detail)

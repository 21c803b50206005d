"""Files read by the simplest shell commands: one ``cat``, ``sed -n``, ``head``, ``tail`` or ``nl`` and nothing else.

Anything with a pipe, a variable, a pattern or a second command is left alone: what it reads is not certain.
"""

from __future__ import annotations

import re
import shlex
from typing import ClassVar

from ctxcore.state.extract.protocol import clean_path, text_at
from ctxcore.state.values import Touch
from ctxcore.tool_uses import ToolUse

SHELLS = frozenset({"bash", "shell", "execcommand", "shellcommand", "exec", "executebash", "runcommand", "terminal", "localshell", "runshellcommand"})
"""Tool names in lower case without separators."""

UNSURE = re.compile(r"[|;&<>$`*?{}\n\\~]|\[")
"""Characters with which a command may read other files than it names."""

SED = re.compile(r"(\d+)(?:,(\d+|\$))?p")
"""The one sed script that only prints lines."""


class ShellReads:
    """See the module."""

    name: ClassVar[str] = "shell-reads"
    looks_for: ClassVar[str] = "shell commands that are one plain cat, sed -n, head, tail or nl"

    def touches(self, use: ToolUse) -> tuple[Touch, ...]:
        """See ``Extractor.touches``."""
        if use.word not in SHELLS:
            return ()
        arguments = use.arguments
        words = _words(_command(arguments.get("command", arguments.get("cmd"))))
        paths, detail = _reads(words) if words else ([], "")
        folder = text_at(arguments, "workdir", "cwd")
        return tuple(Touch(kind="file", name=clean_path(path, folder), action="read", detail=detail) for path in paths)


def _command(value: object) -> str:
    """The command line; a list is what a shell was started with."""
    if isinstance(value, list) and len(value) == 3 and value[0] in ("bash", "sh", "zsh") and value[1] in ("-lc", "-c"):
        value = value[2]
    elif isinstance(value, list) and all(isinstance(word, str) for word in value):
        value = shlex.join(value)
    return value if isinstance(value, str) else ""


def _words(command: str) -> list[str]:
    """The words of a command that only names things; empty for any other."""
    try:
        words = shlex.split(command)
    except ValueError:
        return []
    return [] if UNSURE.search(command.replace("$p'", "p'")) else words


def _reads(words: list[str]) -> tuple[list[str], str]:
    """Files that the command reads, and which lines."""
    program, rest = words[0], words[1:]
    files = [word for word in rest if not word.startswith("-")]
    options = [word for word in rest if word.startswith("-")]
    if program in ("cat", "nl") and len(options) + len(files) == len(rest) and all(o in ("-n", "-A", "-b", "-ba", "--") for o in options):
        return files, ""
    if program == "sed" and options == ["-n"] and len(files) == 2 and (script := SED.fullmatch(files[0])):
        return files[1:], f"lines {script[1]} to {script[2] or script[1]}".replace("to $", "to the end")
    if program in ("head", "tail"):
        return _ends(program, rest)
    return [], ""


def _ends(program: str, rest: list[str]) -> tuple[list[str], str]:
    """``head -n 20 FILE``, ``head -20 FILE``, ``tail FILE``."""
    lines = "10"
    if rest[:1] == ["-n"] and len(rest) == 3 and rest[1].isdigit():
        lines, rest = rest[1], rest[2:]
    elif rest and re.fullmatch(r"-(?:n)?\d+", rest[0]):
        lines, rest = rest[0].lstrip("-n"), rest[1:]
    end = "first" if program == "head" else "last"
    return (rest, f"{end} {lines} {'line' if lines == '1' else 'lines'}") if len(rest) == 1 and not rest[0].startswith("-") else ([], "")

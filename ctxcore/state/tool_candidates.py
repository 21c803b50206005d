"""What tool calls and their results say about the fields of a domain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ctxcore.model import Json, Message, ToolCall, ToolResult
from ctxcore.state.candidates import Candidate, matches, named, parsed
from ctxcore.state.chains import touches
from ctxcore.state.domain import Domain
from ctxcore.state.domain_reads import ByOutput, ByTool, ByTouched, compiled_path
from ctxcore.state.entries import Source, is_missing
from ctxcore.state.reading import part_start
from ctxcore.state.values import CHANGES
from ctxcore.tool_uses import ToolUse, json_object

COMMAND_KEYS = ("command", "cmd", "script")
"""Arguments in which shells take a command. Source: the tools of the recorded agents."""

MOST_OUTPUT = 20_000
"""Last code points of an output that patterns read: what a command came to stands at its end."""

SURE = 0.95
"""Of what a tool was told or gave back."""


@dataclass(slots=True)
class Files:
    """Files that tools touched so far, in order."""

    read: list[str] = field(default_factory=list)
    """Read at least once."""
    edited: list[str] = field(default_factory=list)
    """Changed at least once."""
    stale: list[str] = field(default_factory=list)
    """Read, and changed since."""

    def touch(self, name: str, *, changed: bool) -> None:
        """Note a read or a change."""
        into = self.edited if changed else self.read
        if name not in into:
            into.append(name)
        if changed and name in self.read and name not in self.stale:
            self.stale.append(name)
        elif not changed and name in self.stale:
            self.stale.remove(name)


def told(domain: Domain, message: Message, index: int, part: ToolCall | ToolResult, use: ToolUse, files: Files) -> Iterator[Candidate]:
    """What one part says. A call that failed sets nothing: it can only be a failed command.

    Args:
        domain: Has the fields.
        message: The message of the part.
        index: The message's.
        part: A call or a result.
        use: The call with its result.
        files: Touched so far; grows with the calls.
    """
    if isinstance(part, ToolCall) and not use.failed:
        _touch(use, files)
    for name, form in domain.fields.items():
        for rule in form.read:
            match rule:
                case ByTool() if not use.failed and rule.by == _side(part) and named(rule.tool, use.tool.name) and _where(rule, use):
                    yield from _at_path(name, rule, message, index, part)
                case ByOutput():
                    yield from _by_output(name, rule, message, index, part, use)
                case ByTouched() if isinstance(part, ToolCall) and not use.failed:
                    yield from _touched(name, getattr(files, rule.action), message, index, part, use)
                case _:
                    pass


def _side(part: ToolCall | ToolResult) -> str:
    return "tool_argument" if isinstance(part, ToolCall) else "tool_result"


def _touch(use: ToolUse, files: Files) -> None:
    for one in touches(use):
        if one.kind == "file":
            files.touch(one.name, changed=one.action in CHANGES)


def _touched(name: str, now: list[str], message: Message, index: int, part: ToolCall, use: ToolUse) -> Iterator[Candidate]:
    paths = [one.name for one in touches(use) if one.kind == "file"]
    if now and paths:
        start, end = _span_of(part.arguments, paths[0]) or (0, len(part.arguments))
        yield _candidate(name, list(now), message, index, part, (start, end), "touched_files")


def _by_output(name: str, rule: ByOutput, message: Message, index: int, part: ToolCall | ToolResult, use: ToolUse) -> Iterator[Candidate]:
    command = _command(use)
    if not command or (rule.of and next(matches(rule.of, command), None) is None):
        return
    if rule.by == "failed_command" and isinstance(part, ToolCall) and use.failed:
        yield _candidate(name, command, message, index, part, _span_of(part.arguments, command) or (0, len(part.arguments)), rule.by)
    elif rule.by == "command" and isinstance(part, ToolCall) and not use.failed:
        for match in matches(rule.pattern, command):
            words = match.group("value")
            span = _span_of(part.arguments, words)
            if span is not None:
                yield _candidate(name, words if rule.value is None else rule.value, message, index, part, span, rule.by)
    elif rule.by == "output" and isinstance(part, ToolResult):
        skipped = max(0, len(part.text) - MOST_OUTPUT)
        for match in list(matches(rule.pattern, part.text[skipped:]))[-1:]:
            start, end = match.span("value")
            yield _candidate(
                name, match.group("value") if rule.value is None else rule.value, message, index, part, (start + skipped, end + skipped), rule.by
            )


def _command(use: ToolUse) -> str:
    """The command line of a shell; of a list, its last part, which is what a shell was started with. Empty for other tools."""
    given = next((use.arguments[key] for key in COMMAND_KEYS if use.arguments.get(key)), "")
    last = given[-1] if isinstance(given, list) and given else given
    return last if isinstance(last, str) else ""


def _candidate(name: str, value: Json, message: Message, index: int, part: ToolCall | ToolResult, span: tuple[int, int], extractor: str) -> Candidate:
    text = part.arguments if isinstance(part, ToolCall) else part.text
    offset, (start, end) = part_start(message, part), span
    source = Source(message=index, start=offset + start, end=offset + end, quote=text[start:end])
    return Candidate(field=name, value=value, source=source, extractor=extractor, confidence=SURE, by="tool")


def _span_of(text: str, words: str) -> tuple[int, int] | None:
    """Where words stand in JSON text, however they are spelled there."""
    for spelled in _spellings(words):
        start = text.find(spelled[1:-1])
        if start >= 0:
            return start, start + len(spelled) - 2
    return None


def _where(rule: ByTool, use: ToolUse) -> bool:
    arguments = use.arguments
    return all(any(match.value == wanted for match in compiled_path(path).find(arguments)) for path, wanted in rule.where.items())


def _at_path(name: str, rule: ByTool, message: Message, index: int, part: ToolCall | ToolResult) -> Iterator[Candidate]:
    text = part.arguments if isinstance(part, ToolCall) else part.text
    value = json_object(text) or parsed(text)
    for match in compiled_path(rule.path).find(value) if isinstance(value, (dict, list)) else ():
        span = None if is_missing(match.value) else _written(text, str(match.path), match.value)
        if span is not None:
            yield _candidate(name, match.value, message, index, part, span, rule.by)


def _written(text: str, key: str, value: Json) -> tuple[int, int] | None:
    """Where a value stands in JSON text behind its key, in any of the ways that writers choose; None where it cannot be told."""
    for written in _spellings(value):
        found = re.search(rf'"{re.escape(key)}"\s*:\s*(?P<value>{re.escape(written)})', text)
        if found:
            start, end = found.span("value")
            return (start + 1, end - 1) if isinstance(value, str) else (start, end)
    return None


def _spellings(value: Json) -> Iterable[str]:
    shapes = ((True, (", ", ": ")), (False, (", ", ": ")), (False, (",", ":")), (True, (",", ":")))
    return [json.dumps(value, ensure_ascii=ascii_only, separators=marks) for ascii_only, marks in shapes]

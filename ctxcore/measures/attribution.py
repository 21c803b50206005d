"""Which tool, and which file where an argument names one, the calls and results of a thread belong to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ctxcore.columns import CATEGORIES, IntArray, Sizes, read_only
from ctxcore.measures.proportion import whole_parts
from ctxcore.model import Message, Thread, ToolResult
from ctxcore.readers.values import mapping

FILE_ARGUMENTS = ("file_path", "path", "filename", "file", "notebook_path", "filePath", "target_file", "absolute_path", "relative_path", "file_name")
"""Arguments that name a file, in the order they are looked for. Source: the tool schemas of the recorded agents."""

PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)
"""A file named inside a patch argument. Source: the patch format of the Codex command line."""

CALLS, RESULTS, MEDIA = (CATEGORIES.index(name) for name in ("tool_calls", "tool_results", "media"))

UNNAMED = "(no name)"
"""A tool whose name the log does not hold."""


class Owner(NamedTuple):
    """What a tool call is about."""

    tool: str
    """The tool's name."""
    file: str
    """The file it names, or empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Shares of messages that belong to a tool; arrays hold one entry per share."""

    message: NDArray[np.int32]
    """Thread message, ascending."""
    owner: NDArray[np.int32]
    """Index into ``owners``."""
    result: NDArray[np.bool_]
    """True for a result, False for a call."""
    size: IntArray
    """In the unit of the sizes it was made from; the shares of a message sum to its tool calls, tool results and the media in results."""
    owners: tuple[Owner, ...]
    """Distinct tools and files."""


def file_of(arguments: str) -> str:
    """The file that a call's arguments name, or empty."""
    try:
        decoded = json.loads(arguments) if arguments.startswith("{") else None
    except (ValueError, RecursionError):
        decoded = None
    values = mapping(decoded)
    for name in FILE_ARGUMENTS:
        if isinstance(values.get(name), str) and values[name].strip():
            return str(values[name])
    patch = next((v for v in values.values() if isinstance(v, str) and "*** " in v), arguments if decoded is None else "")
    found = PATCHED.search(patch)
    return found.group(1) if found else ""


def attribution(thread: Thread, sizes: Sizes) -> Attribution:
    """Tools and files of a thread; made once per thread and unit of measure."""
    return thread.once(f"attribution:{sizes.unit}", lambda: _attribution(thread, sizes), of=sizes)


def _attribution(thread: Thread, sizes: Sizes) -> Attribution:
    numbers: dict[Owner, int] = {}
    asked: dict[str, Owner] = {}
    rows: list[tuple[int, int, bool, int]] = []
    for index, message in enumerate(thread.messages):
        for owner, is_result, size in _shares(message, sizes.parts[index], asked):
            rows.append((index, numbers.setdefault(owner, len(numbers)), is_result, size))
    table = np.asarray(rows, np.int64).reshape(len(rows), 4)
    return Attribution(
        message=read_only(table[:, 0].astype(np.int32)),
        owner=read_only(table[:, 1].astype(np.int32)),
        result=read_only(table[:, 2].astype(np.bool_)),
        size=read_only(table[:, 3].copy()),
        owners=tuple(numbers),
    )


def _shares(message: Message, row: NDArray[np.int32], asked: dict[str, Owner]) -> Iterator[tuple[Owner, bool, int]]:
    """Owner, is it a result, size: the message's tool part split over its calls and results by the length of their text."""
    calls, results = message.calls, message.results
    for call in calls:
        asked[call.id] = Owner(call.name or UNNAMED, file_of(call.arguments))
    if calls:
        owners = [Owner(call.name or UNNAMED, file_of(call.arguments)) for call in calls]
        weights = [len(call.name) + len(call.arguments) + 1 for call in calls]
        yield from ((owner, False, size) for owner, size in zip(owners, whole_parts(int(row[CALLS]), weights), strict=True))
    if results:
        total = int(row[RESULTS]) + (int(row[MEDIA]) if any(result.media for result in results) else 0)
        owners = [_owner(result, asked) for result in results]
        weights = [len(result.text) + sum(media.payload_chars for media in result.media) + 1 for result in results]
        yield from ((owner, True, size) for owner, size in zip(owners, whole_parts(total, weights), strict=True))


def _owner(result: ToolResult, asked: dict[str, Owner]) -> Owner:
    return asked.get(result.call_id) or Owner(result.name or UNNAMED, "")


def message_tools(thread: Thread, sizes: Sizes, message: int) -> list[tuple[str, bool]]:
    """Tool and file of each call (False) and each result (True) in a message.

    Args:
        thread: Of a session.
        sizes: Of the thread, in any unit of measure.
        message: Index in the thread.
    """
    table = attribution(thread, sizes)
    start, stop = np.searchsorted(table.message, [message, message + 1]).tolist()
    owners = [table.owners[number] for number in table.owner[start:stop].tolist()]
    return [(f"{owner.tool} {owner.file}".strip(), is_result) for owner, is_result in zip(owners, table.result[start:stop].tolist(), strict=True)]

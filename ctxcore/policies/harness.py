"""What the strategies of pydantic-ai-harness do to a running history; each policy is one of them, or several in turn."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
import orjson

from ctxcore.columns import IntArray
from ctxcore.policies.edits import Action, Layer, replaced, rewritten
from ctxcore.policies.history import ASSISTANT
from ctxcore.policies.pieces import CALL, RESULT, TEXT
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.running import RunningHistory

NO_ARGUMENTS = "{}"
"""Stands in place of arguments."""

READ_TOOLS = ("read_file", "read", "Read", "view", "open_file", "cat")
"""Tools that read a file; upstream has no default and asks for a function."""

PATH_ARGUMENTS = ("path", "file_path", "filename", "file")
"""Arguments that name the file; the first that is there counts."""

READS = (
    Parameter(name="tools", type="names", default=READ_TOOLS, help="Tools that read a file (upstream asks for a function)."),
    Parameter(name="path_arguments", type="names", default=PATH_ARGUMENTS, help="Arguments that name the file; the first that is there counts."),
)
"""Settings of what a read is."""

CLAMPS = (
    Parameter(name="max_part_chars", type="int", default=8_000, help="Characters of a reply's text or arguments that stay whole (upstream: none)."),
    Parameter(name="keep_head_chars", type="int", default=2_000, help="Of its beginning."),
    Parameter(name="keep_tail_chars", type="int", default=2_000, help="Of its end."),
)
"""Settings of what is too long."""


class Clearing:
    """Results of old pairs become a placeholder."""

    def __init__(self, run: RunningHistory, *, keep: int, placeholder: str, exclude: Sequence[str] = (), inputs: bool = False) -> None:
        pieces = run.history.pieces
        self.run, self.keep, self.placeholder = run, keep, placeholder
        every = pieces.of_kind(RESULT)
        self.pairs = every[(pieces.partner[every] >= 0) & (run.item_of_piece[every] >= 0)]
        kept = np.isin(pieces.tool[self.pairs], [number for number, name in enumerate(pieces.tools) if name in exclude])
        self.items = self.pairs[~kept]
        self.calls = pieces.partner[self.items].astype(np.int64) if inputs else self.items[:0]
        freed, emptied = replaced(run.history, self.items, placeholder), replaced(run.history, self.calls, NO_ARGUMENTS)
        both = freed + emptied if inputs else freed
        self.masks, self.empties = _Edits(self.items, freed), _Edits(self.calls, emptied)
        self.upto: list[int] = np.concatenate(([0], np.cumsum(both))).tolist()
        self.begun: list[int] = run.history.begun_pieces(self.pairs).tolist()
        self.before: list[int] = np.concatenate(([0], np.cumsum(~kept))).tolist()
        self.cleared = 0

    def apply(self, column: int, least: int | None = None) -> None:
        """Clear all but the newest pairs, if that frees enough."""
        target = self.before[max(self.begun[column] - self.keep, 0)]
        if target <= self.cleared or (least is not None and self.upto[target] - self.upto[self.cleared] < least):
            return
        for edits in (self.masks, self.empties):
            self.run.edit(column, edits.between(self.cleared, target), edits.record)
        self.cleared = target

    def since_cleared(self, column: int) -> int:
        """Entries of a call behind the last cleared result, all without one."""
        count = self.run.entries(column)
        if not self.cleared:
            return count
        return count - 1 - int(self.run.entry[self.run.item_of_piece[self.items[: self.cleared]]].max())

    def layers(self) -> list[Layer]:
        """Results and arguments that are cleared."""
        return [
            _layer(self.run, self.masks, "mask", "Result older than the pairs kept", self.placeholder),
            _layer(self.run, self.empties, "clear", "Arguments of a cleared result", NO_ARGUMENTS),
        ]


class Deduplication:
    """An earlier read of a file becomes a placeholder once a newer one has its result."""

    def __init__(self, run: RunningHistory, *, tools: Sequence[str], path_arguments: Sequence[str], placeholder: str) -> None:
        pieces = run.history.pieces
        self.run, self.placeholder = run, placeholder
        numbers = [number for number, name in enumerate(pieces.tools) if name in tools]
        results = pieces.of_kind(RESULT)
        results = results[(pieces.partner[results] >= 0) & np.isin(pieces.tool[pieces.partner[results]], numbers) & (run.item_of_piece[results] >= 0)]
        keys = [_path(run.history.text(int(call)), path_arguments) for call in pieces.partner[results].tolist()]
        self.reads = [(piece, key) for piece, key in zip(results.tolist(), keys, strict=True) if key is not None]
        pieces_read: IntArray = np.asarray([piece for piece, _ in self.reads], np.int64)
        self.begun: list[int] = run.item_of_piece[pieces_read].tolist()
        self.edits = _Edits(pieces_read, replaced(run.history, pieces_read, placeholder))
        self.newest: dict[str, int] = {}
        self.done = 0

    def apply(self, column: int) -> None:
        """Replace every read that a newer one supersedes; one whose arguments were clamped has lost its path."""
        known = bisect_left(self.begun, self.run.begun(column))
        partner = self.run.history.pieces.partner
        for piece, key in self.reads[self.done : known]:
            if int(partner[piece]) not in self.run.edited:
                before = self.newest.get(key)
                if before is not None and int(partner[before]) not in self.run.edited:
                    self.run.edit(column, {before: self.edits.freed[before]}, self.edits.record)
                self.newest[key] = piece
        self.done = max(self.done, known)

    def layers(self) -> list[Layer]:
        """Reads that are superseded."""
        return [_layer(self.run, self.edits, "mask", "A newer read of the same file follows", self.placeholder)]


def _path(arguments: str, names: Sequence[str]) -> str | None:
    try:
        values = orjson.loads(arguments)
    except ValueError:
        return None
    found = next((values[name] for name in names if name in values), None) if isinstance(values, dict) else None
    return found if isinstance(found, str) else None


class Clamping:
    """Texts and arguments of replies that are too long keep their beginning and end."""

    def __init__(self, run: RunningHistory, *, longest: int, head: int, tail: int, arguments: bool = True) -> None:
        history, pieces = run.history, run.history.pieces
        self.run, self.longest, self.head, self.tail = run, longest, head, tail
        kinds = (TEXT, CALL) if arguments else (TEXT,)
        replies = (history.role[pieces.message] == ASSISTANT) if len(pieces) else np.zeros(0, np.bool_)
        long = np.flatnonzero(np.isin(pieces.kind, kinds) & replies & (pieces.chars > longest)).astype(np.int64)
        items: IntArray = np.asarray([piece for piece in long.tolist() if self._shorter(history.text(piece)) is not None], np.int64)
        self.edits = _Edits(items, rewritten(history, items, self.text))
        self.begun: list[int] = history.begun_pieces(items).tolist()
        self.done = 0

    def _shorter(self, text: str) -> str | None:
        tail = text[len(text) - self.tail :] if self.tail else ""
        removed = len(text) - len(text[: self.head]) - len(tail)
        clamped = f"{text[: self.head]}\n[clamped: removed {removed} of {len(text)} characters]\n{tail}"
        return clamped if len(clamped) < len(text) else None

    def text(self, piece: int) -> str:
        """What stands in place of a piece; arguments stay an object."""
        clamped = self._shorter(self.run.history.text(piece)) or ""
        if self.run.history.pieces.kind[piece] == CALL:
            return json.dumps({"_clamped": clamped}, ensure_ascii=False, separators=(",", ":"))
        return clamped

    def apply(self, column: int) -> None:
        """Clamp what has come in."""
        self.run.edit(column, self.edits.between(self.done, self.begun[column]), self.edits.record)
        self.done = max(self.done, self.begun[column])

    def layers(self) -> list[Layer]:
        """Pieces that are clamped."""
        return [self.run.edit_layer("clip", "Part of a reply that is too long", self.edits.freed, self.edits.record, self.text)]


class _Edits:
    """Pieces that one strategy may edit, in the order in which it does, and those that it has."""

    def __init__(self, items: IntArray, freed: IntArray) -> None:
        self.items: list[int] = items.tolist()
        self.freed: dict[int, int] = dict(zip(self.items, freed.tolist(), strict=True))
        self.record: dict[int, int] = {}

    def between(self, start: int, stop: int) -> dict[int, int]:
        """What a stretch of them frees, by piece."""
        return {piece: self.freed[piece] for piece in self.items[start:stop]}


def _layer(run: RunningHistory, edits: _Edits, action: Action, rule: str, text: str) -> Layer:
    return run.edit_layer(action, rule, edits.freed, edits.record, lambda _piece: text)

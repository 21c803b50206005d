"""Cline's basic compaction: prompts stay, answers while there is room, and a mechanical note stands for the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.model import Thread
from ctxcore.policies.edits import Insert, Layer, Plan, lasting
from ctxcore.policies.history import ASSISTANT, SYSTEM, History
from ctxcore.policies.pieces import MEDIA, REASONING
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.sides import Sides
from ctxcore.state.extract.file_tools import FileTools
from ctxcore.tool_uses import tool_uses

RULE = "No prompt, and no room for it when the history was compacted"
THOUGHT = "Reasoning of an answer that was kept"
PICTURE = "Attachment of an earlier prompt"

NEVER = 2**62

SHOWN_TEXTS, SHOWN_CHARS, SHOWN_FILES = 3, 500, 40
"""Texts of replies in the note, as upstream; characters of each and files named, our own bounds."""


@dataclass(frozen=True, slots=True)
class ClineBasic(PlannedPolicy):
    """What was decided stays: a later compaction looks only at what came after."""

    input_share: float = 0.9
    trigger: float = 0.9
    target: float = 0.7
    later_target: float = 0.5

    name: ClassVar[str] = "cline-basic"
    title: ClassVar[str] = "Cline: basic compaction"
    about: ClassVar[str] = (
        "The budget is the model's window. Once a request reaches the trigger, every prompt of the user stays, then the newest messages of "
        "the current turn while there is room under the target (from a reply on), then the concluding answers of earlier turns, newest first."
        " All else gives way to a note that lists tools, files and the last texts, without any model. What stays then is never looked at "
        "again. The original counts JSON characters / 3."
    )
    source: ClassVar[str] = "Cline SDK at 21cb8d25, packages/core/src/extensions/context/basic-compaction.ts."
    rejects: ClassVar[str] = "Nothing by its pairs: no half of an exchange stays. Prompts alone can be over the window."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="input_share", type="float", default=0.9, help="Share of the window that is input."),
        Parameter(name="trigger", type="float", default=0.9, help="Share of the input from which it acts."),
        Parameter(name="target", type="float", default=0.7, help="Share of the trigger that is aimed at."),
        Parameter(name="later_target", type="float", default=0.5, help="Share of the input that is aimed at from five pairs of messages on."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        limit = budget * self.input_share
        trigger = limit * self.trigger
        passes = _Passes(history, trigger, trigger * self.target, limit * self.later_target)
        return Plan(
            layers=passes.run(),
            inserts=(passes.note(),),
            assumed=(
                "One note stands for all that went, before the newest prompt of the compaction, instead of one between each two prompts.",
                "The newest exchange always stays; the last projection of the original, for requests that are still too large, is left out.",
            ),
        )


@dataclass(slots=True)
class _Told:
    """What the note says."""

    tools: Counter[str] = field(default_factory=Counter)
    files: dict[str, None] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)
    count: int = 0

    def text(self) -> str:
        """The note."""
        tools = ", ".join(f"{name} ({count})" for name, count in sorted(self.tools.items())) or "none"
        files = ", ".join(list(self.files)[-SHOWN_FILES:]) or "none"
        said = "".join(f"\n- {text}" for text in self.texts)
        lines = (f"{self.count} earlier messages were left out.", f"Tools: {tools}", f"Files: {files}", f"Last texts:{said or ' none'}")
        return "\n".join(("<SYSTEM_NOTICE>", *lines, "</SYSTEM_NOTICE>"))


class _Passes:
    """All compactions of an epoch."""

    def __init__(self, history: History, trigger: float, target: float, later: float) -> None:
        self.history, self.trigger, self.target, self.later = history, trigger, target, later
        count, calls = len(history.messages), len(history.length)
        self.persons = np.flatnonzero(history.person).tolist()
        self.since = np.full(count, NEVER, np.int64)
        self.thoughts = np.full(count, NEVER, np.int64)
        self.size = history.size.tolist()
        self.loose = (~history.person & (history.role != SYSTEM)).tolist()
        self.thought = _by_message(history, REASONING)
        self.media = _by_message(history, MEDIA)
        self.reply = (history.role == ASSISTANT).tolist()
        self.asks = history.asks.tolist()
        self.uses = history.thread.once("cline_basic_uses", lambda: _uses(history.thread))
        self.done, self.freed, self.shown = 0, 0, -1
        self.told = _Told()
        self.notes: list[tuple[int, str]] = []
        self.place = np.zeros(calls, np.int64)
        self.version = np.full(calls, -1, np.int64)
        self.held = (Sides(history).held // 2).tolist()

    def run(self) -> tuple[Layer, ...]:
        """Goes through the calls."""
        place = 0
        calls = zip(self.history.length.tolist(), self.history.before.tolist(), strict=True)
        for column, (length, before) in enumerate(calls):
            size = before - self.freed + (self.notes[-1][0] if self.notes else 0)
            if length > self.done and size >= self.trigger:
                place = self._compact(column, length, size, place)
            self.place[column] = min(place, length)
            self.version[column] = len(self.notes) - 1
        return self._layers()

    def _compact(self, column: int, length: int, size: int, place: int) -> int:
        """One compaction; the place of its note."""
        prompts = [person for person in self.persons if person < length]
        begin, last = self.done, prompts[-1] if prompts else -1
        room = self.later if self.held[column] >= 5 else self.target
        room -= size - sum(self.size[m] for m in range(begin, length) if self.loose[m])
        tail = self._tail(max(last + 1, begin), length, room)
        kept = set(range(tail, length))
        room -= sum(self.size[m] for m in kept if self.loose[m])
        for answer in self._answers(prompts, begin):
            if self.size[answer] - self.thought[answer] <= room:
                room -= self.size[answer] - self.thought[answer]
                kept.add(answer)
                self.thoughts[answer] = column
                self.freed += self.thought[answer]
        gone = [m for m in range(begin, length) if self.loose[m] and m not in kept]
        self._drop(gone, column)
        self._pictures(prompts[:-1], column)
        self.done = length
        return (last if last >= 0 else tail) if gone else place

    def _tail(self, begin: int, length: int, room: float) -> int:
        """Where the newest messages of the current turn begin that stay: at a reply, and never behind the newest unit."""
        cut, total = length, 0
        while cut > begin and total + self.size[cut - 1] <= room:
            cut -= 1
            total += self.size[cut]
        while cut < length and not self.reply[cut]:
            cut += 1
        units = self.history.epoch.units
        newest = int(units.first[units.unit_of[length - 1]]) if length else 0
        return max(begin, min(cut, newest))

    def _answers(self, prompts: list[int], begin: int) -> list[int]:
        """Concluding answers of the turns before the current one that are not decided yet, newest first."""
        found = []
        for start, stop in zip(reversed(prompts[:-1]), reversed(prompts[1:]), strict=True):
            if stop <= begin:
                break
            last = next((m for m in range(stop - 1, max(start, begin - 1), -1) if self.reply[m]), -1)
            if last >= begin and not self.asks[last]:
                found.append(last)
        return found

    def _drop(self, gone: list[int], column: int) -> None:
        for message in gone:
            self.since[message] = column
            self.freed += self.size[message]
            names, files = self.uses.get(int(self.history.epoch.message[message]), ((), ()))
            self.told.tools.update(names)
            for file in files:
                self.told.files.pop(file, None)
                self.told.files[file] = None
            text = self.history.messages[message].text.strip() if self.reply[message] else ""
            self.told.texts = [*self.told.texts, text[:SHOWN_CHARS]][-SHOWN_TEXTS:] if text else self.told.texts
        if gone:
            self.told.count += len(gone)
            text = self.told.text()
            self.notes.append((self.history.measure.message("user", text), text))

    def _pictures(self, prompts: list[int], column: int) -> None:
        """Attachments stay on the newest prompt only."""
        for prompt in prompts:
            if prompt > self.shown and self.media[prompt]:
                self.thoughts[prompt] = column
                self.freed += self.media[prompt]
        self.shown = max(self.shown, prompts[-1] if prompts else -1)

    def _layers(self) -> tuple[Layer, ...]:
        history, pieces, calls = self.history, self.history.pieces, len(self.history.length)
        items = np.flatnonzero(self.since < NEVER).astype(np.int64)
        layers = [lasting(history, "drop", RULE, items, since=self.since[items])]
        for kind, rule in ((REASONING, THOUGHT), (MEDIA, PICTURE)):
            chosen = np.flatnonzero((pieces.kind == kind) & (self.thoughts < NEVER)[pieces.message]).astype(np.int64)
            layers.append(lasting(history, "strip", rule, chosen, since=np.minimum(self.thoughts[pieces.message[chosen]], calls)))
        return tuple(layers)

    def note(self) -> Insert:
        """The mechanical note."""
        sizes = np.asarray([*(size for size, _ in self.notes), 0], np.int64)
        return Insert(
            kind="notice",
            role="user",
            rule="Lists what was left out",
            size=sizes[self.version],
            place=self.place,
            text=lambda column: self.notes[self.version[column]][1],
            version=self.version,
        )


def _by_message(history: History, kind: int) -> list[int]:
    """Per position: size of its pieces of a kind, blocks included."""
    chosen = history.pieces.kind == kind
    weights: IntArray = np.where(chosen, history.pieces.whole, 0)
    found: list[int] = np.bincount(history.pieces.message, weights=weights, minlength=len(history.messages)).astype(np.int64).tolist()
    return found


def _uses(thread: Thread) -> Mapping[int, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Thread message → names of the tools that it calls, and files that they name."""
    tools = FileTools()
    found: dict[int, tuple[tuple[str, ...], tuple[str, ...]]] = {}
    for use in tool_uses(thread):
        names, files = found.get(use.message, ((), ()))
        found[use.message] = ((*names, use.name), (*files, *(touch.name for touch in tools.touches(use))))
    return found

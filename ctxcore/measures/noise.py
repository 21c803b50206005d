"""How much of each recorded request is noise, and how much is ever used: acknowledgements, repeated system text, utilisation.

Utilisation is what a later reply takes evidence from, what holds a value that is still in force, and the instructions themselves. It is a lower
bound: a text may be used without one of its exact values turning up again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ctxcore.atoms import atoms
from ctxcore.columns import BoolArray, Epoch, IntArray, Sizes, read_only
from ctxcore.measures.evidence_index import thread_evidence
from ctxcore.model import Message, Text, Thread
from ctxcore.sizes.measure import Unit, thread_sizes
from ctxcore.state.chains import change_chains
from ctxcore.state.values import CHANGES
from ctxcore.units import PINNED_ROLES

PHRASES = re.compile(
    r"(?:ok|okay|k|yep|yeah|sure|sure thing|of course|certainly|absolutely|alright|all right|right|fine|good|great|perfect|excellent|awesome|nice|"
    r"cool|(?:good|great|nice|excellent) (?:job|work)|well done|thanks|thank you|thank you(?: very| so) much|thanks a lot|many thanks|"
    r"much appreciated|"
    r"got it|understood|noted|roger|will do|sounds good|no problem|you(?:'re| are) (?:very )?welcome|my pleasure|(?:glad|happy) to help|"
    r"i(?:'m| am) (?:glad|happy) to help|hi|hello|hey|hi there|hello there|good (?:morning|afternoon|evening|night)|bye|goodbye|see you|take care|"
    r"have a (?:nice|good|great) day|i(?:'ll| will) (?:do (?:that|this|it|so)|get (?:right )?on it|take care of (?:that|this|it))"
    r"(?: now| right away| for you)?|how (?:can|may) i (?:help|assist)(?: you)?(?: today)?|"
    r"(?:please )?let me know if (?:you need|there(?:'s| is)) anything else(?: i can help(?: you)? with)?|"
    r"好|好的|好吧|好呀|行|可以|没问题|收到|明白|明白了|了解|了解了|知道了|嗯|嗯嗯|谢谢|谢谢你|谢谢您|多谢|感谢|非常感谢|不客气|不用谢|没关系|辛苦了|"
    r"你好|您好|再见|早上好|下午好|晚上好|很好|太好了|请稍等|马上处理|很高兴为您服务|请问还有什么可以帮您|有什么可以帮您)"
)
"""Whole sentences that only acknowledge or greet."""

ENDS = re.compile(r"[\s]*[.,;:!?~…。，、；：！？～—–\n]+[\s]*")
"""Between sentences and their parts."""

LONGEST = 200
"""Characters of a message that can be an acknowledgement."""


@dataclass(frozen=True, kw_only=True)
class Noise:
    """What recorded requests are made of; arrays are read-only, with one entry per call, sizes of messages without tools."""

    unit: str
    """Unit of all sizes."""
    total: IntArray
    """All messages of the recorded context."""
    acknowledgements: IntArray
    """Messages that only acknowledge or greet."""
    repeated_system: IntArray
    """System text that stands in the same context before."""
    used: IntArray
    """Units that a later reply takes evidence from, that hold a value still in force, or that are instructions (a repeated one is not)."""

    @property
    def share(self) -> NDArray[np.float64]:
        """Per call: acknowledgements and repeated system text as a share of all; NaN for an empty context."""
        return _share(self.acknowledgements + self.repeated_system, self.total)

    @property
    def utilisation(self) -> NDArray[np.float64]:
        """Per call: what is used as a share of all; NaN for an empty context."""
        return _share(self.used, self.total)


def _share(part: IntArray, total: IntArray) -> NDArray[np.float64]:
    found: NDArray[np.float64] = np.divide(part, total, out=np.full(len(total), np.nan), where=total > 0)
    return found


def noise(thread: Thread, unit: Unit = "tokens") -> Noise:
    """Noise and utilisation of every recorded request.

    Args:
        thread: Of a session.
        unit: As for ``replay``.

    Raises:
        InputError: No such unit.
    """
    sizes = thread_sizes(thread, unit)
    marks = np.asarray([is_acknowledgement(message) for message in thread.messages], np.bool_)
    used = _used_messages(thread)
    table = np.zeros((4, len(thread.calls)), np.int64)
    for epoch in thread.epochs:
        table[:, epoch.calls] = _epoch(thread, sizes, epoch, marks, used)
    names = ("total", "acknowledgements", "repeated_system", "used")
    return Noise(unit=sizes.unit, **{name: read_only(row) for name, row in zip(names, table, strict=True)})


def _epoch(thread: Thread, sizes: Sizes, epoch: Epoch, marks: BoolArray, used: BoolArray) -> IntArray:
    """Sums of an epoch's calls: one row each for all messages, acknowledgements, repeated system text, and what is used."""
    size = sizes.message[epoch.message].astype(np.int64)
    repeated = _repeated(thread, epoch, size)
    units = epoch.units
    in_use = np.bincount(units.unit_of, weights=used[epoch.message], minlength=len(units.first)) > 0
    instructs = np.asarray([thread.messages[index].role in PINNED_ROLES for index in epoch.message.tolist()], np.bool_)
    held = np.where(instructs, size - repeated, np.where(in_use[units.unit_of], size, 0))
    rows = np.stack((size, np.where(marks[epoch.message], size, 0), repeated, held))
    upto = np.concatenate((np.zeros((4, 1), np.int64), np.cumsum(rows, axis=1)), axis=1)
    found: IntArray = upto[:, epoch.lengths]
    return found


def _repeated(thread: Thread, epoch: Epoch, size: IntArray) -> IntArray:
    """Per position: size of system text whose lines all stood in an earlier system message; a part of it by the length of its lines."""
    seen: set[str] = set()
    found = np.zeros(len(size), np.int64)
    for position, index in enumerate(epoch.message.tolist()):
        if thread.messages[index].role not in PINNED_ROLES:
            continue
        lines = [" ".join(line.split()) for line in thread.messages[index].text.splitlines() if line.strip()]
        again = sum(len(line) for line in lines if line in seen)
        found[position] = int(size[position]) * again // max(1, sum(map(len, lines)))
        seen.update(lines)
    return found


def is_acknowledgement(message: Message) -> bool:
    """True for a message that only acknowledges or greets: no call, no result, no evidence, nothing but such phrases."""
    texts = [part.text for part in message.parts if isinstance(part, Text)]
    text = " ".join(texts).strip()
    if message.role not in ("user", "assistant") or message.injected or len(texts) != len(message.parts) or not text or len(text) > LONGEST:
        return False
    pieces = [piece for piece in ENDS.split(text.lower().replace("’", "'")) if piece]
    return bool(pieces) and not atoms(text) and all(PHRASES.fullmatch(piece) for piece in pieces)


def _used_messages(thread: Thread) -> BoolArray:
    """Per message: a reply after it takes evidence from it, or it holds a value that is still in force."""
    evidence = thread_evidence(thread)
    marks = np.zeros(len(thread.messages), np.bool_)
    message = evidence.message[evidence.standing.right]
    marks[message[evidence.last_use[evidence.standing.left] >= evidence.received[message]]] = True
    for chain in change_chains(thread):
        good = [step for step in chain.steps if not step.failed and step.carrier is not None]
        newest = next((step for step in reversed(good) if step.action in CHANGES), good[-1] if good else None)
        carriers = [step.carrier for step in good if newest is not None and step.version == newest.version]
        marks[[carrier for carrier in carriers[-1:] if carrier is not None]] = True
    return marks

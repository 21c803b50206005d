"""The whole-unit rule on plain messages: strict for a live request, lenient for a recorded list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from ctxcore.columns import CATEGORIES, Epoch, IntArray, Sizes, read_only
from ctxcore.errors import ContextBudgetError, InputError, shown
from ctxcore.model import Call, SourceRef
from ctxcore.policies import Fits, Timeline, WholeUnits
from ctxcore.policies.needs import Needs
from ctxcore.policies.strict import check_request, measured
from ctxcore.readers.anthropic_marks import has_anthropic_marks
from ctxcore.readers.anthropic_message import anthropic_message
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.plain import plain_messages
from ctxcore.sizes.characters import EMPTY_REQUEST_CHARS, canonical_json, notice_message
from ctxcore.sizes.measure import Unit, notice_sizes, thread_sizes
from ctxcore.units import Shape, group

UNLIMITED = 2**62
"""Stands for no budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FitReport:
    """What fitting did to one request; sizes in characters, tools included."""

    before: int
    """Size of the request as given."""
    after: int
    """Size of the fitted request, notice included."""
    limit: int
    """The budget."""
    dropped_messages: int
    """Messages left out."""
    dropped_turns: int
    """Whole earlier user turns left out."""
    dropped_exchanges: int
    """Exchanges left out, wherever they stood."""
    edited: int = 0
    """Parts of messages that stay with another text, or go; the whole-unit rule has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedContext:
    """A fitted request."""

    messages: list[dict[str, Any]]
    """Deep copies of what stays, the notice first if anything went."""
    report: FitReport
    """What was done."""


def fit_context(
    messages: list[dict[str, Any]], tools: list[Any], *, max_characters: int = 16_000, required_task: str | None = None
) -> PreparedContext:
    """Fit a live request by the whole-unit rule, or refuse it.

    Args:
        messages: Plain Chat messages with text content; never changed.
        tools: Tool definitions as they will be sent; they count.
        max_characters: Budget in characters of canonical JSON, at least 1.
        required_task: What the last user message must be; None is not compared.

    Raises:
        ContextBudgetError: The first fault in the rule's order; see its ``kind``.
    """
    shapes = check_request(messages, tools, max_characters, required_task)
    sizes, tools_size = measured(messages, tools)
    line = _single_call(shapes, _char_sizes(sizes, tools_size))
    fits = WholeUnits().fit(line, np.asarray([min(max_characters, UNLIMITED)], np.int64))
    if fits.refused[0, 0]:
        missing = int(fits.missing[0, 0])
        needs = Needs.of(line, 0, budget=max_characters, missing=missing, tools=tools_size, unit="characters")
        raise ContextBudgetError("over_budget", str(needs), missing=missing)
    dropped = int(fits.dropped_messages[0, 0])
    try:
        kept = [deepcopy(messages[i]) for i in _kept(line, fits)]
    except RecursionError as error:
        raise ContextBudgetError("not_json", "The request is nested too deeply to copy.") from error
    report = FitReport(
        before=int(line.before[0]),
        after=int(fits.after[0, 0]),
        limit=max_characters,
        dropped_messages=dropped,
        dropped_turns=int(fits.dropped_turns[0, 0]),
        dropped_exchanges=int(fits.dropped_exchanges[0, 0]),
    )
    return PreparedContext(messages=[notice_message(dropped), *kept] if dropped else kept, report=report)


def _char_sizes(sizes: Sequence[int], tools_size: int) -> Sizes:
    message = np.asarray(sizes, dtype=np.int64)
    return Sizes(
        unit="chars",
        message=read_only(message),
        parts=read_only(np.zeros((0, len(CATEGORIES)), np.int32)),
        tools=read_only(np.asarray([tools_size], np.int64)),
        frame=EMPTY_REQUEST_CHARS,
        separator=1,
        notice=notice_sizes(lambda count: len(canonical_json(notice_message(count))) + 1),
        basis="exact",
        counter="canonical JSON characters",
    )


def _single_call(shapes: Sequence[Shape], sizes: Sizes) -> Timeline:
    """A timeline of one call that received all of these messages."""
    count = len(shapes)
    epoch = Epoch(
        message=np.arange(count, dtype=np.int32),
        calls=np.zeros(1, np.int32),
        lengths=np.asarray([count], np.int32),
        units=group(shapes)[0],
    )
    return Timeline.of(epoch, sizes, np.asarray([-1], np.int64))


def _kept(line: Timeline, fits: Fits) -> list[int]:
    """Positions that stay, in order."""
    gone = np.zeros(len(line.size), np.bool_)
    gone[fits.drops(0, 0)[0]] = True
    kept: list[int] = np.flatnonzero(~gone[line.epoch.units.unit_of]).tolist()
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedUnit:
    """A unit that was left out."""

    messages: tuple[int, ...]
    """Its positions in the input."""
    exchange: bool
    """An assistant message with tool calls and its results."""
    rule: str
    """Why it went."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedMessages:
    """What the whole-unit rule does to one list of messages; sizes in the counter's unit."""

    kept: tuple[int, ...]
    """Positions that stay; empty where refused."""
    dropped: tuple[FittedUnit, ...]
    """Units that were left out, oldest first."""
    notice: str | None
    """Text of the notice in front, or None."""
    before: int
    """Size of the input."""
    after: int | None
    """Size of the result, notice included; None where refused."""
    refused: str | None
    """``over_budget`` where nothing can be sent, else None."""
    missing: int
    """By how much, after every cut; 0 where not refused."""
    messages: tuple[Mapping[str, Any], ...]
    """What would be sent: the notice, then the kept messages, the very objects of the input; empty where refused."""
    dropped_messages: int
    """Messages left out."""
    dropped_turns: int
    """Whole earlier user turns left out."""
    dropped_exchanges: int
    """Exchanges left out."""


def fit_messages(messages: Sequence[Mapping[str, Any]], budget: int | None, counter: Unit = "chars", notice: bool = True) -> FittedMessages:
    """Fit one recorded list, its last reply included; lenient, so only a too small budget refuses.

    Args:
        messages: Chat or Anthropic messages as recorded.
        budget: At least 0, in the counter's unit; None is unlimited.
        counter: ``chars``, ``tokens`` or an object with ``size(message) -> int``.
        notice: Put the omission notice in front of a trimmed list and count it.

    Raises:
        InputError: A budget that is no whole number of at least 0, messages that are no list of objects, or one that JSON has no form for.
    """
    limit = _limit(budget)
    plain = plain_messages(messages)
    draft = ThreadDraft(id="list")
    make = anthropic_message if has_anthropic_marks({"messages": plain}) else chat_message
    for number, message in enumerate(plain):
        draft.add(make(message, SourceRef(path=f"messages[{number}]")))
    draft.calls = [Call(index=0, context=((0, len(messages)),) if messages else (), known="recorded")]
    thread = draft.build()
    sizes = thread_sizes(thread, counter)
    line = Timeline.of(thread.epochs[0], sizes, np.asarray([-1], np.int64))
    fits = WholeUnits(notice=notice).fit(line, np.asarray([limit], np.int64))
    refused = bool(fits.refused[0, 0])
    kept = () if refused else tuple(_kept(line, fits))
    count = int(fits.dropped_messages[0, 0])
    head = notice_message(count) if count and notice else None
    return FittedMessages(
        kept=kept,
        dropped=_left_out(line, fits),
        notice=head["content"] if head else None,
        before=int(line.before[0]),
        after=None if refused else int(fits.after[0, 0]),
        refused="over_budget" if refused else None,
        missing=int(fits.missing[0, 0]),
        messages=((head,) if head else ()) + tuple(messages[i] for i in kept),
        dropped_messages=count,
        dropped_turns=int(fits.dropped_turns[0, 0]),
        dropped_exchanges=int(fits.dropped_exchanges[0, 0]),
    )


def _limit(budget: int | None) -> int:
    if budget is None:
        return UNLIMITED
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 0:
        raise InputError(f"Budget {shown(budget)} is not a whole number of at least 0.")
    return min(budget, UNLIMITED)


def _left_out(line: Timeline, fits: Fits) -> tuple[FittedUnit, ...]:
    units, rules = fits.drops(0, 0)
    unit_of: IntArray = line.epoch.units.unit_of.astype(np.int64)
    return tuple(
        FittedUnit(messages=tuple(np.flatnonzero(unit_of == unit).tolist()), exchange=bool(line.epoch.units.exchange[unit]), rule=fits.rules[rule])
        for unit, rule in zip(units.tolist(), rules.tolist(), strict=True)
    )

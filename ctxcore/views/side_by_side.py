"""What the page Side by side tells of two threads, or of one thread under two policies: turn by turn, where they part, and in sum."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pandas as pd

from ctxcore.counted import count
from ctxcore.measures.alignment import Alignment, Divergence, Pair, Turn
from ctxcore.measures.compare import Compared, first_difference
from ctxcore.measures.totals import NO_LIMIT, Totals
from ctxcore.plan.claims import Verdict
from ctxcore.replay import Replay
from ctxcore.tool_uses import ToolUse
from ctxcore.views.duration import length
from ctxcore.views.visible import line_at, one_line, shortened
from ctxcore.views.words import number, signed

TEXT_CHARS, TOOL_CHARS, MOST_TOOLS = 110, 90, 12
"""Characters of a user text and of a tool call that are shown; tools listed by name."""

UNKNOWN = "not recorded"

PAIRED = {"same text": "same text", "text within": "one text within the other", "order": "by order", "alone": "no partner"}
"""Why turns are pairs, for people."""

Cell = int | str | None


def alignment_sentence(found: Alignment) -> str:
    """How the turns were paired, in plain words."""
    counted = {basis: sum(pair.basis == basis for pair in found.pairs) for basis in PAIRED}
    if not found.pairs:
        return "Neither side has a turn."
    same = counted["same text"] + counted["text within"]
    words = [f"{count(same, 'turn') if same else 'No turn'} {'is' if same < 2 else 'are'} paired by the same user text"]
    if counted["order"]:
        words.append(f"{number(counted['order'])} by order")
    if counted["alone"]:
        words.append(f"{number(counted['alone'])} {'has' if counted['alone'] == 1 else 'have'} no partner")
    return f"{', '.join(words)}. White space and capitals make no difference; of two texts, one may stand within the other."


def divergence_sentences(found: Alignment) -> tuple[str, ...]:
    """Where the two part, the earliest first."""
    places = sorted(filter(None, (found.text_parts, found.tools_part)), key=lambda place: place.row)
    if not places:
        tools = "the same tool calls with the same arguments" if _has_tools(found) else "no tool call on either side"
        return (f"They never part: the same user texts, and {tools}. Replies in words are not compared.",)
    told = [_text_words(found.pairs[place.row]) if place.kind == "user text" else _tool_words(found.pairs[place.row], place) for place in places]
    if found.text_parts is None:
        told.append("The user texts are the same to the end.")
    if found.tools_part is None:
        told.append("The tool calls are the same to the end." if _has_tools(found) else "Neither side has a tool call of its own.")
    return tuple(told)


def _has_tools(found: Alignment) -> bool:
    return any(turn.uses for pair in found.pairs for turn in (pair.first, pair.second) if turn)


def _text_words(pair: Pair) -> str:
    first, second = pair.first, pair.second
    if first is None or second is None:
        side, turn = ("first", first) if first else ("second", second)
        return f"The first user text without a partner is turn {_turn(turn)} of the {side}: “{_said(turn)}”."
    return f"The first differing user text: turn {_turn(first)} “{_said(first)}”, turn {_turn(second)} “{_said(second)}”."


def _tool_words(pair: Pair, place: Divergence) -> str:
    mine, theirs = (_use(turn, place.use) for turn in (pair.first, pair.second))
    turns = " and ".join(dict.fromkeys(_turn(turn) for turn in (pair.first, pair.second) if turn))
    where = f"The first differing tool call is number {number(place.use + 1)} of turn {turns}"
    return f"{where}: in the first {_called(mine)}, in the second {_called(theirs)}."


def _use(turn: Turn | None, place: int) -> ToolUse | None:
    return turn.uses[place] if turn is not None and place < len(turn.uses) else None


def _called(use: ToolUse | None) -> str:
    return (
        "none" if use is None else f"{shortened(use.tool.name, 40)} {shortened(one_line(use.tool.arguments), TOOL_CHARS)} at call #{number(use.call)}"
    )


def _turn(turn: Turn | None) -> str:
    return "" if turn is None else number(turn.number)


def _said(turn: Turn | None) -> str:
    if turn is None:
        return ""
    return line_at(turn.text.strip(), 0, TEXT_CHARS) or ("before the first user message" if turn.number == 0 else "no text")


def turns_frame(found: Alignment, sizes: tuple[Sequence[int], Sequence[int]]) -> pd.DataFrame:
    """One row per pair of turns.

    Args:
        found: Of two threads.
        sizes: Per call of each side: size of the request, -1 where nothing is sent.
    """
    return pd.DataFrame([_turn_row(pair, sizes) for pair in found.pairs], columns=[*TURN_COLUMNS])


TURN_COLUMNS = (
    *("first turn", "second turn", "paired", "first text", "second text", "first calls", "second calls"),
    *("first peak", "second peak", "first tools", "second tools", "tools"),
)
"""Of the table of turns."""


def _turn_row(pair: Pair, sizes: tuple[Sequence[int], Sequence[int]]) -> tuple[Cell, ...]:
    first, second = pair.first, pair.second
    peaks = [max((each[call] for call in turn.calls), default=None) if turn else None for turn, each in zip((first, second), sizes, strict=True)]
    texts = [_said(turn) if turn else None for turn in (first, second)]
    if texts[0] == texts[1]:
        texts[1] = "the same"
    return (
        first.number if first else None,
        second.number if second else None,
        PAIRED[pair.basis],
        *texts,
        *(len(turn.calls) if turn else None for turn in (first, second)),
        *(None if peak is None or peak < 0 else peak for peak in peaks),
        *(len(turn.uses) if turn else None for turn in (first, second)),
        _tools_word(pair),
    )


def _tools_word(pair: Pair) -> str:
    if pair.first is None or pair.second is None:
        return ""
    place = pair.differing_use
    if place is None:
        return "the same" if pair.first.uses else "none"
    return f"part at number {number(place + 1)}"


VERDICTS: tuple[Verdict, ...] = ("supported", "contradicted", "unsupported")
"""Of claims, in the order they are listed."""

TOTAL_COLUMNS = ("what", "first", "second", "difference", "basis")
"""Of the table of totals."""


def totals_frame(first: Totals, second: Totals) -> pd.DataFrame:
    """Both threads in sum, one number a row."""
    return pd.DataFrame([*_total_rows(first, second), *_tool_rows(first, second)], columns=[*TOTAL_COLUMNS])


def _total_rows(first: Totals, second: Totals) -> Iterator[tuple[str, ...]]:
    basis = first.basis if first.basis == second.basis else f"{first.basis} / {second.basis}"
    yield _row("Turns", first.turns, second.turns, "exact")
    yield _row("Model calls", first.calls, second.calls, "exact")
    yield _row("Input tokens, all calls", first.input_tokens, second.input_tokens, basis)
    yield _row("Largest request, tokens", first.peak_tokens, second.peak_tokens, basis)
    yield _row("Output tokens", first.output_tokens, second.output_tokens, "recorded")
    yield _row("Compactions", first.compactions, second.compactions, "recorded")
    yield from _time_rows(first, second)
    yield _money_row(first.dollars, second.dollars, "estimate")
    claimed = [sum(one.claims.values()) for one in (first, second)]
    yield _row("Plan steps called done", claimed[0], claimed[1], "recorded")
    for verdict in VERDICTS if any(claimed) else ():
        yield _row(f"· {verdict} by the record", first.claims.get(verdict, 0), second.claims.get(verdict, 0), "recorded")
    yield _row("Tool calls", first.tool_calls, second.tool_calls, "recorded")
    yield _row("Tool calls that failed", first.failures, second.failures, "recorded")


def _time_rows(first: Totals, second: Totals) -> Iterator[tuple[str, ...]]:
    for name, attribute in (("Time from first to last entry", "span_s"), ("Time without pauses", "active_s")):
        spans = [None if one.duration is None else float(getattr(one.duration, attribute)) for one in (first, second)]
        told = [UNKNOWN if span is None else length(span) for span in spans]
        yield (name, *told, _by(spans[0], spans[1], length), "" if spans == [None, None] else "recorded")


def _by(first: float | None, second: float | None, write: Callable[[float], str]) -> str:
    """The difference in words with its sign; empty where one side is unknown."""
    if first is None or second is None:
        return ""
    return f"{'+' if second > first else '−'}{write(abs(second - first))}" if second != first else "0"


def _money_row(first: float | None, second: float | None, basis: str) -> tuple[str, ...]:
    told = ["no known price" if dollars is None else _dollars(dollars) for dollars in (first, second)]
    return ("Money", *told, _by(first, second, _dollars), "" if first is None and second is None else basis)


def _dollars(amount: float) -> str:
    return f"${amount:,.4f}"


def _tool_rows(first: Totals, second: Totals) -> Iterator[tuple[str, ...]]:
    names = sorted({*first.tools, *second.tools}, key=lambda name: (-(first.tools.get(name, 0) + second.tools.get(name, 0)), name))
    for name in names[:MOST_TOOLS]:
        yield _row(f"· {shortened(name, 60) or '(no name)'}", first.tools.get(name, 0), second.tools.get(name, 0), "recorded")
    if rest := names[MOST_TOOLS:]:
        sums = [sum(one.tools.get(name, 0) for name in rest) for one in (first, second)]
        yield _row(f"· {count(len(rest), 'more tool')}", sums[0], sums[1], "recorded")


def _row(what: str, first: int | None, second: int | None, basis: str) -> tuple[str, ...]:
    told = [UNKNOWN if value is None else number(value) for value in (first, second)]
    unknown = first is None and second is None
    return (what, *told, "" if first is None or second is None else signed(second - first), "" if unknown else basis)


def bases_note(first: Totals, second: Totals) -> str:
    """What to know before the token counts are held against each other."""
    if first.basis == second.basis == "recorded":
        return "Input tokens are the provider's own counts on both sides."
    told = "Input tokens are counted on the recorded contexts of both sides, because one log lacks the provider's counts"
    unlike = "" if first.basis == second.basis else f"; their bases differ ({first.basis} and {second.basis}), so small differences say little"
    return f"{told}{unlike}."


def policy_frame(first: Compared, second: Compared) -> pd.DataFrame:
    """One thread under two policies in sum, one number a row."""
    unit, bases = first.replay.unit, dict.fromkeys((first.basis, second.basis))
    basis = " / ".join(bases)
    one, other = first.replay, second.replay
    money = [None if row.cost is None else row.cost.total for row in (first, second)]
    found = [
        ("Budget", _limit(one), _limit(other), "", "chosen"),
        _row(f"Input sent, all calls, {unit}", first.size, second.size, basis),
        _row(f"Largest request sent, {unit}", int(one.after.max(initial=0)), int(other.after.max(initial=0)), basis),
        _row("Calls refused", first.refused_calls, second.refused_calls, basis),
        _row("Calls that the provider would reject", first.rejected_calls, second.rejected_calls, "exact"),
        _row("Messages left out, over all calls", int(one.dropped_messages.sum()), int(other.dropped_messages.sum()), "exact"),
        _row("Parts edited, over all calls", int(one.edited.sum()), int(other.edited.sum()), "exact"),
        _row("Lost references", int(first.lost_per_call.sum()), int(second.lost_per_call.sum()), "exact"),
        _money_row(money[0], money[1], "estimate"),
    ]
    return pd.DataFrame(found, columns=[*TOTAL_COLUMNS])


def _limit(one: Replay) -> str:
    return number(one.budget) if one.budget != NO_LIMIT else "no limit"


def policies_sentence(first: Compared, second: Compared) -> str:
    """Where two policies begin to send different requests, in plain words."""
    calls = first_difference(first.replay, second.replay)
    whole = len(first.replay.before)
    if not len(calls):
        return f"They never part: both send the same for all {count(whole, 'call')}."
    return f"They part at call #{number(int(calls[0]))}: from there on {count(len(calls), 'call')} of {number(whole)} go out differently."

"""What is odd in a thread once it is read, whatever its format: one sentence for each kind, with the messages it concerns."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ctxcore.model import Event, Message, Problem, SourceRef, Text, Thread, ToolResult
from ctxcore.readers.compaction_findings import compaction_findings
from ctxcore.redaction.masking import masked_part
from ctxcore.units import Catalog, catalog

LISTED = 5
"""Messages that a sentence names; the rest is counted."""

IDS_LISTED, ID_CHARS = 20, 60
"""Ids of calls that a sentence names, and characters of each."""

ROLE_CHARS = 80
"""Of a role that no rule knows."""

UNIT_SENTENCES = {
    "orphan_result": "{count} without the call it answers",
    "duplicate_result": "{count} that answers a call a second time; kept with its exchange",
    "open": "{count} without a recorded result",
    "pending": "{count} still waiting for a result where the log ends",
}
"""By the words of ``UnitTable.flags``."""

MESSAGE_SENTENCES = {
    "unknown_role": "{count} with a role that no rule knows ({roles}); kept as recorded, each a unit of its own",
    "no_call_id": "{count} with a tool result that names no call id; paired by order",
    "no_call_id_unpaired": "{count} with a tool result that names no call id, and no call waits for one",
    "no_role": "{count} without a role",
    "arguments_not_json": "{count} with a tool call whose arguments are not valid JSON; shown and counted as recorded",
    "arguments_not_an_object": "{count} with a tool call whose arguments are not an object; shown and counted as recorded",
    "empty": "{count} from the assistant with neither text nor calls",
    "signed_thinking_empty": "{count} with signed thinking that has no text, which a provider may refuse when it is sent again",
    "call_without_name": "{count} with a call of an unnamed tool",
}
"""By the words of ``Message.flags``."""

TIME_WORDS = {"time_missing": "missing", "time_unreadable": "unreadable", "zone_not_recorded": "without a zone, taken as UTC"}
"""Words of ``Message.flags`` about times, as they stand in one sentence."""


def findings(threads: Sequence[Thread]) -> tuple[Problem, ...]:
    """Everything odd, thread by thread."""
    return tuple(problem for thread in threads for problem in _of_thread(thread, several=len(threads) > 1))


def _of_thread(thread: Thread, *, several: bool) -> Iterator[Problem]:
    where = f"Thread {thread.id}: " if several else ""
    for event in thread.events:
        if event.inferred:
            yield Problem(what=f"{where}Call #{event.call}: {_fell(event)}", kind="input_fell", source=event.source)
    for problem in compaction_findings(thread):
        yield replace(problem, what=where + problem.what)
    unseen = sum("input_not_recorded" in call.flags for call in thread.calls)
    if unseen:
        what = (
            f"{where}{_count(unseen, 'answer')} without the request in the file: what was sent is unknown, its size here is that of an empty request."
        )
        yield Problem(what=what, kind="request_not_recorded", source=thread.calls[0].source)
    for kind, what, numbers in (*_units(thread), *_flags(thread), *_times(thread.messages), *_orders(thread.messages), *_repeats(thread)):
        source = thread.messages[numbers[0]].source if numbers else SourceRef()
        yield Problem(what=f"{where}{what}.", kind=kind, source=source)


def _fell(event: Event) -> str:
    before, after = f"{event.before_tokens or 0:,}", f"{event.after_tokens or 0:,}"
    fell = (event.after_tokens or 0) < (event.before_tokens or 0)
    verb, grew = ("fell", "only grew") if fell else ("went", "grew by much more")
    return (
        f"the recorded input {verb} from {before} to {after} tokens although the log {grew}. "
        "Something was left out that the log does not name: sizes from here on are upper bounds."
    )


Finding = tuple[str, str, list[int]]


def _listing(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:LISTED]))
    more = f" and {len(numbers) - LISTED:,} more" if len(numbers) > LISTED else ""
    return f" (message{'s' if len(numbers) > 1 else ''} {shown}{more})"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _units(thread: Thread) -> Iterator[Finding]:
    """Results without calls, calls without results, second answers."""
    if not any(epoch.units.flags for epoch in thread.epochs):
        return
    units = catalog(thread)
    by_kind: dict[str, list[int]] = defaultdict(list)
    for unit, word in _settled(thread, units):
        by_kind[word].append(unit)
    for word, sentence in UNIT_SENTENCES.items():
        if word not in by_kind:
            continue
        numbers = [int(units.first[unit]) for unit in by_kind[word]]
        if word in ("orphan_result", "duplicate_result"):
            noun, count = "tool result", len(numbers) if word == "orphan_result" else sum(_second_answers(thread, units, by_kind[word]).values())
        else:
            noun, count = "tool call", sum(len(_unanswered(thread, units, unit)) for unit in by_kind[word])
        ids = _ids([one for number in by_kind[word] for one in _unanswered(thread, units, number)]) if noun == "tool call" else ""
        yield word, sentence.format(count=_count(max(count, 1), noun)) + _listing(numbers) + ids, numbers


def _ids(ids: Sequence[str]) -> str:
    """The ids of calls, as the end of a sentence; a call without one is told by its number alone."""
    named = [masked_part(one, 0, ID_CHARS) for one in ids if one]
    more = f" and {len(named) - IDS_LISTED:,} more" if len(named) > IDS_LISTED else ""
    return f": {', '.join(named[:IDS_LISTED])}{more}" if named else ""


def unanswered_calls(thread: Thread) -> Mapping[int, tuple[str, ...]]:
    """Message → the ids of its tool calls whose result no call of the thread ever saw; made once per thread."""
    return thread.once("unanswered_calls", lambda: _unanswered_calls(thread))


def _unanswered_calls(thread: Thread) -> Mapping[int, tuple[str, ...]]:
    units, found = catalog(thread), dict[int, tuple[str, ...]]()
    if any(epoch.units.flags for epoch in thread.epochs):
        for unit in {unit for unit, word in _settled(thread, units) if word in ("open", "pending")}:
            left = Counter(_unanswered(thread, units, unit))
            for index in units.members[unit]:
                mine = [call.id for call in thread.messages[index].calls]
                open_ids = tuple(one for one in dict.fromkeys(mine) for _ in range(min(left[one], mine.count(one))))
                if open_ids:
                    found[index] = open_ids
    return found


def _settled(thread: Thread, units: Catalog) -> list[tuple[int, str]]:
    """Flags of units, those of open exchanges only where no call of the thread ever saw an answer."""
    seen: Counter[int] = Counter(int(number) for numbers in units.of_epoch for number in numbers)
    flagged: Counter[int] = Counter()
    for epoch, numbers in zip(thread.epochs, units.of_epoch, strict=True):
        flagged.update({int(numbers[unit]) for unit, word in epoch.units.flags if word in ("open", "pending")})
    words = set(units.flags)
    return [
        (unit, word)
        for unit, word in units.flags
        if word not in ("open", "pending") or (flagged[unit] == seen[unit] and not (word == "pending" and (unit, "open") in words))
    ]


def _answers(thread: Thread, units: Catalog, unit: int) -> Counter[str]:
    return Counter(result.call_id for index in units.members[unit] for result in thread.messages[index].results)


def _unanswered(thread: Thread, units: Catalog, unit: int) -> tuple[str, ...]:
    """Ids of the calls of an exchange that have no answer."""
    answered = _answers(thread, units, unit)
    calls = Counter(call.id for index in units.members[unit] for call in thread.messages[index].calls)
    return tuple((calls - answered).elements())


def _second_answers(thread: Thread, units: Catalog, numbers: Sequence[int]) -> Counter[str]:
    twice: Counter[str] = Counter()
    for unit in numbers:
        twice.update({call: count - 1 for call, count in _answers(thread, units, unit).items() if count > 1})
    return twice


def _flags(thread: Thread) -> Iterator[Finding]:
    """Words that readers put on messages."""
    messages, by_word = thread.messages, defaultdict[str, list[int]](list)
    for number, message in enumerate(messages):
        for word in message.flags:
            by_word[word].append(number)
    stray = _stray(thread) if by_word["no_call_id"] else frozenset()
    by_word["no_call_id_unpaired"] = [number for number in by_word["no_call_id"] if number in stray]
    by_word["no_call_id"] = [number for number in by_word["no_call_id"] if number not in stray]
    for word, sentence in MESSAGE_SENTENCES.items():
        if numbers := by_word.get(word):
            roles = ", ".join(sorted({masked_part(repr(messages[n].role), 0, ROLE_CHARS) for n in numbers})[:LISTED])
            yield word.removesuffix("_unpaired"), sentence.format(count=_count(len(numbers), "message"), roles=roles) + _listing(numbers), numbers


def _stray(thread: Thread) -> frozenset[int]:
    """Messages whose results answer no call."""
    units = catalog(thread)
    return frozenset(index for unit, word in units.flags if word == "orphan_result" for index in units.members[unit])


def _times(messages: Sequence[Message]) -> Iterator[Finding]:
    """Times that are missing, cannot be read, or name no zone: one sentence with the counts."""
    flagged = {number: TIME_WORDS.keys() & message.flags for number, message in enumerate(messages) if message.flags}
    counts = Counter(word for words in flagged.values() for word in words)
    if counts:
        what = ", ".join(f"{counts[word]:,} {phrase}" for word, phrase in TIME_WORDS.items() if counts[word])
        numbers = [number for number, words in flagged.items() if words]
        yield "times", f"Times of messages: {what}{_listing(numbers)}", numbers


def _orders(messages: Sequence[Message]) -> Iterator[Finding]:
    """Text before or between tool results of one message, which some providers refuse."""
    numbers = [number for number, message in enumerate(messages) if len(message.parts) > 1 and _text_before_result(message)]
    if numbers:
        what = f"{_count(len(numbers), 'message')} with text before or between tool results, which some providers refuse{_listing(numbers)}"
        yield "text_before_result", what, numbers


def _text_before_result(message: Message) -> bool:
    text = False
    for part in message.parts:
        if isinstance(part, ToolResult):
            if text:
                return True
        elif isinstance(part, Text) and message.role == "user":
            text = True
    return False


def _repeats(thread: Thread) -> Iterator[Finding]:
    """The same system message twice in one context."""
    first: dict[str, int] = {}
    twins: list[int] = []
    for number, message in enumerate(thread.messages):
        if message.role in ("system", "developer") and message.text:
            earlier = first.setdefault(message.text, number)
            if earlier != number and _sent_together(thread, earlier, number):
                twins.append(number)
    if twins:
        size = sum(len(thread.messages[number].text) for number in twins)
        what = f"The same system message stands more than once (+{size:,} characters of text); removing the repeats would free them{_listing(twins)}"
        yield "repeated_system_message", what, twins


def _sent_together(thread: Thread, one: int, other: int) -> bool:
    """True if a call received both messages."""
    return any(bool((epoch.message == one).any() and (epoch.message == other).any()) for epoch in thread.epochs)

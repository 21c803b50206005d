"""A conversation as a structured state: message by message, by rules alone, with the words behind every value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from ctxcore.model import Message, Thread, ToolCall, ToolResult
from ctxcore.state.answering import Waiting, answers, questions, settle_asked, settle_reply, take_back_last, turn_down
from ctxcore.state.board import Board
from ctxcore.state.business_rules import broken_rules
from ctxcore.state.candidates import MOST_SLOW, Candidate, named, noting_slow
from ctxcore.state.catalogue import Product, listed_products
from ctxcore.state.changing import change, effects_of
from ctxcore.state.conflicts import corrected, decided, plain
from ctxcore.state.domain import Domain
from ctxcore.state.entries import Source, State, is_missing
from ctxcore.state.injection import MISSING
from ctxcore.state.lifetimes import expire
from ctxcore.state.reading import part_start, said_times, source_text, spoken
from ctxcore.state.replacing import alert_untied, tied
from ctxcore.state.resolving import resolve, same_value
from ctxcore.state.said_candidates import ReadText, captioned, said
from ctxcore.state.speech import EARLIER_STATE, KEEPS, WITHDRAWS
from ctxcore.state.text_rules import read_text
from ctxcore.state.tool_candidates import Files, told
from ctxcore.state.validation import PATTERN_S
from ctxcore.tool_uses import ToolUse, tool_uses


def edit(thread: Thread, domain: Domain, *, rules: ReadText = read_text) -> State:
    """The state at the end of a thread; made once per thread and domain. ``State.as_of`` gives it before any message.

    Args:
        thread: Read, never changed.
        domain: What to look for.
        rules: Reads the values in a text.
    """
    return thread.once(
        f"edited:{domain.name}",
        lambda: edit_messages(thread.messages, domain, thread.once("said_times", lambda: said_times(thread)), tool_uses(thread), rules=rules),
        of=domain,
    )


def edit_messages(
    messages: Sequence[Message],
    domain: Domain,
    times: Sequence[datetime | None] = (),
    uses: Iterable[ToolUse] = (),
    *,
    rules: ReadText = read_text,
    go_on: Callable[[], None] = lambda: None,
) -> State:
    """The state at the end of a list of messages.

    Args:
        messages: In order.
        domain: What to look for.
        times: When each was said; unknown where left out.
        uses: Tool calls with their results.
        rules: Reads the values in a text.
        go_on: Called before each message; what it raises ends the reading.
    """
    editing = _Editing(messages, domain, times or [None] * len(messages), uses, rules)
    with noting_slow() as editing.slow:
        for index in range(len(messages)):
            go_on()
            editing.read(index)
    return editing.board.state()


class _Editing:
    """Reads one message after the other."""

    def __init__(
        self, messages: Sequence[Message], domain: Domain, times: Sequence[datetime | None], uses: Iterable[ToolUse], rules: ReadText
    ) -> None:
        self.messages, self.domain, self.times, self.rules = messages, domain, tuple(times), rules
        self.board = Board(domain)
        self.uses: dict[int, ToolUse] = {}  # by identity: equal parts may stand twice
        for use in uses:
            self.uses.update({id(part): use for part in (use.tool, use.result) if part is not None})
        self.files = Files()
        self.products: list[Product] = []
        self.waiting: tuple[Waiting, ...] = ()
        self.broken: set[str] = set()
        self.slow: dict[str, int] = {}
        self.slow_told: dict[str, int] = {}
        self.heard = ""

    def read(self, index: int) -> None:
        """One message."""
        message = self.messages[index]
        self.board.message = index
        if message.is_real_user:
            self.user(index, message)
        elif message.role == "assistant":
            self.assistant(index, message)
        self.tools(index, message)
        self.check_rules()
        self.tell_slow()

    def tell_slow(self) -> None:
        """Patterns that ran out of their time: the first time, and when they are tried no more."""
        for pattern, times in self.slow.items():
            before, self.slow_told[pattern] = self.slow_told.get(pattern, 0), times
            if not before or before < MOST_SLOW <= times:
                end = "it is tried no more" if times >= MOST_SLOW else "what it looks for may be there"
                self.board.alert("PATTERN_TOO_SLOW", f"The pattern {pattern:.80} took longer than {PATTERN_S:g} s over a text: {end}.")

    def user(self, index: int, message: Message) -> None:
        """What the user says may change anything."""
        board = self.board
        board.begin_round(index)
        expire(board, index, self.times)
        text = source_text(message)
        self.heard += f"{text}\n" if self.domain.actions else ""
        found = [*said(self.domain, message, index, self.times[index], self.products, self.rules)]
        found += answers(board, self.waiting, spoken(message), index, found)
        settle_asked(board, spoken(message), found)
        effects_of(board, text, index)
        named_fields = corrected(self.resolved(found, text), text)
        for name, candidate, rule in decided(named_fields, self.domain):
            change(board, name, candidate, index, rule)
        if not any(plain(candidate) for _, candidate in named_fields):
            self.look_back(index, text)
        self.waiting = ()

    def resolved(self, found: Iterable[Candidate], text: str) -> list[tuple[str, Candidate]]:
        """Candidates with their fields; those whose field the conversation does not tell are noted and left out."""
        asked = self.waiting[0].field if self.waiting else ""
        placed: list[tuple[str, Candidate]] = []
        for candidate in found:
            placed.append((resolve(self.board, candidate, text, asked, [one for one in placed if one[0]]), candidate))
        placed = tied(self.board, placed, text)
        alert_untied(self.board, placed, text)
        kept: list[tuple[str, Candidate]] = []
        for name, candidate in placed:
            if name:
                kept.append((name, candidate))
                self.board.note("extracted", name, candidate.value, "", candidate.extractor, candidate.source)
            else:
                self.board.note("refused", "", candidate.value, "NO_FIELD", candidate.extractor, candidate.source)
        return kept

    def look_back(self, index: int, text: str) -> None:
        """A message without a value of its own may take back what was said last, or mean an earlier state."""
        if EARLIER_STATE.search(text):
            take_back_last(self.board, text, index, EARLIER_STATE, certain=False)
        elif WITHDRAWS.search(text):
            take_back_last(self.board, text, index, WITHDRAWS, certain=True)

    def assistant(self, index: int, message: Message) -> None:
        """The assistant asserts nothing; it can confirm what was asked, turn down what was proposed, and ask."""
        text = spoken(message)
        if text:
            turn_down(self.board, text)
            self.uphold(index, message)
            self.confirm(index, message)
            asked = questions(self.domain, text)
            self.waiting = asked or self.waiting

    def uphold(self, index: int, message: Message) -> None:
        """A reply that keeps a value against a remark of this round confirms it."""
        doubted = self.board.doubted()
        if doubted and KEEPS.search(spoken(message)):
            from_reply = said(self.domain, message, index, self.times[index], self.products, self.rules)
            for name in doubted:
                again = next((one for one in from_reply if same_value(one.value, self.board.value(name)) and "negated" not in one.shades), None)
                if again is not None:
                    self.board.restate(name, again.source, again.value, "confirmed_by_reply")

    def confirm(self, index: int, message: Message) -> None:
        if self.board.asked():
            from_reply = said(self.domain, message, index, self.times[index], self.products, self.rules)
            settle_reply(self.board, spoken(message), index, from_reply)

    def tools(self, index: int, message: Message) -> None:
        """Arguments and results of tool calls."""
        for part in message.parts:
            if isinstance(part, (ToolCall, ToolResult)) and (use := self.uses.get(id(part))) is not None:
                if isinstance(part, ToolResult):
                    self.products += listed_products(self.domain, use)
                    self.caption(index, message, part, use)
                found = list(told(self.domain, message, index, part, use, self.files))
                if isinstance(part, ToolCall):
                    self.check_action(index, message, part, use, found)
                for candidate in found:
                    change(self.board, candidate.field, candidate, index)

    def caption(self, index: int, message: Message, part: ToolResult, use: ToolUse) -> None:
        if self.domain.captions and named(self.domain.captions, use.tool.name) and not use.failed:
            start = part_start(message, part)
            for one in captioned(self.domain, part.text, index):
                source = replace(one.source, start=one.source.start + start, end=one.source.end + start)
                change(self.board, one.field, replace(one, source=source, by="tool"), index)

    def check_action(self, index: int, message: Message, part: ToolCall, use: ToolUse, found: Sequence[Candidate]) -> None:
        """Alert where an action is done although a required field has no value, nor did the user say what the call itself gives for it."""
        given = {one.field for one in found if str(one.value) in self.heard}
        for name, action in self.domain.actions.items():
            missing = [field for field in action.required if is_missing(self.board.value(field)) and field not in given]
            if missing and any(named(tool, use.tool.name) for tool in action.tools):
                start = part_start(message, part)
                source = Source(message=index, start=start, end=start + len(part.arguments), quote=part.arguments)
                doing = name if named(re.escape(name), use.tool.name) else f"{use.tool.name} (action {name})"
                for field in missing:
                    self.board.alert(MISSING, f"{doing} was called before {field} had a value.", field, source)

    def check_rules(self) -> None:
        """Rules that the state breaks now and did not before."""
        now = {error.code: error for error in broken_rules(self.domain.rules, self.board.values())} if self.domain.rules else {}
        for code, error in now.items():
            if code not in self.broken:
                self.board.alert(code, str(error), error.fields[0] if error.fields else "")
                self.board.note("validated", error.fields[0] if error.fields else "", None, code)
        self.broken = set(now)

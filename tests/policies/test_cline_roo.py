"""Cline's and Roo Code's truncation: cases by hand, and the rules once more, message by message."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxcore import replay
from ctxcore.policies.catalog.cline_half_or_quarter import DUPLICATE, MISSING, NOTICE, allowed_of
from ctxcore.policies.catalog.roo_truncate import marker
from ctxcore.sending import sent_messages as sent
from ctxcore.sizes.characters import canonical_json, request_chars
from tests.chat import conversation
from tests.policies.conversations import FEW, Request, agree, chat_thread, is_result, requests
from tests.policies.samples import sample_thread


def grouped(context: Request) -> list[list[int]]:
    """Places of the messages of each side; system messages belong to none."""
    groups: list[list[int]] = []
    for index, message in enumerate(context):
        if message["role"] == "system":
            continue
        if groups and (context[groups[-1][0]]["role"] == "assistant") == (message["role"] == "assistant"):
            groups[-1].append(index)
        else:
            groups.append([index])
    return groups


def hidden_by(context: Request, groups: list[list[int]], begin: int, keep: int) -> set[int]:
    """Messages of the sides keep to begin - 1, and results at the beginning of side begin whose calls are among them."""
    gone = {index for group in groups[keep:begin] for index in group}
    if begin > keep:
        for index in groups[begin] if begin < len(groups) else []:
            if not is_result(context[index]):
                break
            gone.add(index)
    return gone


def test_roo_hides_an_even_number_of_the_visible_messages_behind_the_first() -> None:
    """Task, then 9 exchanges: 19 visible at the last call. (19 - 1) * 0.5 = 9, so 8 are hidden: sides 1 to 8 are exchanges 0 to 3."""
    messages = conversation("Task.", *(("bash", {"n": n}, "x" * 200) for n in range(9)))
    size = request_chars(messages[:-1], [])
    result = replay(chat_thread(messages), "roo-truncate", size - 1, buffer=0.0, max_output=0)
    assert sent(result, 9) == [*messages[:2], {"role": "user", "content": marker(8)}, *messages[10:20]]
    assert sent(result, 8) == messages[:18]


def test_roo_hides_nothing_where_fewer_than_five_are_visible() -> None:
    """(4 - 1) * 0.5 is 1, the next even number below is 0."""
    messages = conversation("Task.", ("bash", {}, "x" * 500))
    assert replay(chat_thread(messages), "roo-truncate", 300, buffer=0.0, max_output=0).refused.tolist() == [False, True]


def slow_roo(contexts: Sequence[Request], allowed: float) -> list[Request]:
    """Markers of earlier truncations stay, each where the visible messages began then."""
    hidden: set[int] = set()
    markers: list[tuple[int, int]] = []
    made, first = [], 1

    def view(context: Request) -> Request:
        shown: list[Request] = [[message] if index not in hidden else [] for index, message in enumerate(context)] + [[]]
        for place, count in reversed(markers):
            shown[place].insert(0, {"role": "user", "content": marker(count)})
        return [message for one in shown for message in one]

    for context in contexts:
        groups = grouped(context)
        hide = int((len(groups) - first) * 0.5) // 2 * 2
        if request_chars(view(context), []) > allowed and hide > 0:
            first += hide
            hidden |= hidden_by(context, groups, first, 1)
            markers.append((groups[first][0], hide))
        made.append(view(context))
    return made


@FEW
@given(requests(most=30), st.integers(100, 2500))
def test_roo_message_by_message(messages: Request, window: int) -> None:
    if len(grouped(messages)) >= 2:
        agree(messages, "roo-truncate", lambda contexts: slow_roo(contexts, window * 0.9 - 50), budget=window, max_output=50)


def test_the_reserve_depends_on_the_window() -> None:
    history = type("Tokens", (), {"tokens": staticmethod(lambda count: count)})
    assert [allowed_of(history, window) for window in (64_000, 128_000, 200_000, 100_000, 1_000_000)] == [  # type: ignore[arg-type]
        37_000,
        98_000,
        160_000,
        80_000,
        960_000,
    ]


def reads(*results: str) -> Request:
    return conversation("Task.", *(("read_file", {"path": name}, text) for name, text in (r.split(":") for r in results)))


def test_cline_leaves_out_older_reads_first_and_cuts_nothing_if_that_is_enough() -> None:
    """Three reads of a.py of 2,000 characters: leaving out two saves more than 30 % of the messages."""
    messages = reads(*("a:" + "x" * 2_000 for _ in range(3)), "b:y")
    result = replay(chat_thread(messages), "cline-half-or-quarter", 10**6, max_allowed=6_000)
    assert [(edit.message, edit.text) for edit in result.edits(4)] == [(3, DUPLICATE), (5, DUPLICATE)]
    assert result.edits(3) == ()  # the call before it had not taken that much yet


def test_cline_cuts_half_behind_the_first_pair_and_makes_up_the_first_answer() -> None:
    """Task, 8 exchanges, the last call: sides 0 to 16, 15 of them behind the first two; 15 // 4 * 2 = 6, so 2 to 7; 7 is a reply.

    Side 8 is the result of side 7's call, so it goes too. Side 2 answers the first reply and stays with a result made up.
    """
    messages = conversation("Task.", *(("bash", {"n": n}, "x" * 200) for n in range(8)))
    size = request_chars(messages[:16], []) + len(canonical_json(messages[16])) + 1
    result = replay(chat_thread(messages), "cline-half-or-quarter", 10**6, max_allowed=size)
    assert sent(result, 7) == messages[:16]
    assert sent(result, 8) == [*messages[:3], {**messages[3], "content": MISSING}, *messages[10:18]]


def test_cline_keeps_a_quarter_where_half_would_be_too_much() -> None:
    """The same, but half of what was taken is still too much: 15 * 3 // 8 * 2 = 10, so sides 2 to 11."""
    messages = conversation("Task.", *(("bash", {"n": n}, "x" * 2_000 if n == 7 else "x") for n in range(8)), ("bash", {}, "end"))
    taken = request_chars(messages[:18], []) + len(canonical_json(messages[18])) + 1
    result = replay(chat_thread(messages), "cline-half-or-quarter", 10**6, max_allowed=(taken - 1) // 2)
    sides = 19 - 2
    assert len(sent(result, 9)) == 20 - sides * 3 // 8 * 2


def test_cline_says_so_in_the_first_reply_if_it_is_a_text() -> None:
    messages = conversation("Task.", *(("bash", {"n": n}, "x" * 200) for n in range(8)))
    messages[2] = {**messages[2], "content": "I look."}
    result = replay(chat_thread(messages), "cline-half-or-quarter", 10**6, max_allowed=1_500)
    assert sent(result, 8)[2]["content"] == NOTICE


class SlowCline:
    """The rule in plain words, on chat messages."""

    def __init__(self, allowed: float) -> None:
        self.allowed = allowed
        self.begin, self.cut, self.made, self.noted = 2, False, False, set[int]()
        self.early = set[int]()  # noted before anything was cut: such an answer keeps its note here

    def __call__(self, contexts: Sequence[Request]) -> list[Request]:
        taken, found = 0, []
        for number, context in enumerate(contexts):
            groups = grouped(context)
            if number and taken >= self.allowed and len(groups) > 2 and not self.read_once(context, groups):
                rest = len(groups) - self.begin
                last = self.begin + (rest * 3 // 8 * 2 if taken / 2 > self.allowed else rest // 4 * 2) - 1
                self.begin, self.cut = last + (context[groups[last][0]]["role"] == "assistant"), True
                self.made = self.made or self.begin > 2
            self.early |= set() if self.made else self.noted
            found.append(self.view(context, groups))
            following = contexts[number + 1] if number + 1 < len(contexts) else context
            reply = following[len(context)] if len(following) > len(context) and following[len(context)]["role"] == "assistant" else None
            taken = request_chars(found[-1], []) + (len(canonical_json(reply)) + 1 if reply else 0)
        return found

    def read_once(self, context: Request, groups: list[list[int]]) -> bool:
        files = {c["id"]: c["function"]["arguments"] for m in context for c in m.get("tool_calls") or () if c["function"]["name"] == "read_file"}
        older, seen = [], set()
        for index in reversed(range(len(context))):
            name = files.get(context[index].get("tool_call_id", ""))
            if name in seen:
                older.append(index)
            seen |= {name} - {None}
        gone = hidden_by(context, groups, self.begin, 2)
        begin = max((i + 1 for i in gone), default=groups[2][0])
        fresh = [index for index in older if index not in self.noted and index >= begin]
        before = request_chars(self.view(context, groups), []) - request_chars([], [])
        self.noted |= set(fresh)
        saved = sum(len(canonical_json(context[index]["content"])) - len(canonical_json(DUPLICATE)) for index in fresh)
        return bool(fresh) and saved >= 0.3 * (before + 1)

    def view(self, context: Request, groups: list[list[int]]) -> Request:
        gone = hidden_by(context, groups, self.begin, 2)
        asked = {c["id"] for index in (groups[1] if len(groups) > 1 else []) for c in context[index].get("tool_calls") or ()}
        found: Request = []
        for index, message in enumerate(context):
            answers = message.get("tool_call_id") in asked and len(groups) > 2 and index in groups[2]
            if index in gone and not answers:
                continue
            changed: dict[str, Any] = {}
            if answers and self.made and index not in self.early:
                changed = {"content": MISSING}
            elif index in self.noted:
                changed = {"content": DUPLICATE}
            elif self.cut and index == groups[1][0] and message["content"]:
                changed = {"content": NOTICE}
            found.append({**message, **changed})
        return found


@FEW
@given(requests(most=30), st.integers(100, 2500))
def test_cline_message_by_message(messages: Request, allowed: int) -> None:
    begin = next((index for index, message in enumerate(messages) if message["role"] == "user"), len(messages))
    messages = [message for index, message in enumerate(messages) if index >= begin or message["role"] == "system"]  # its history begins with a task
    agree(messages, "cline-half-or-quarter", SlowCline(allowed), max_allowed=allowed)


def test_basic_compaction_keeps_prompts_the_newest_messages_and_answers_with_room() -> None:
    """Two earlier turns of an exchange and an answer, then a turn of three exchanges, all exchanges of the same size.

    Room is made for the three prompts, two exchanges and one answer: the newest two exchanges stay, of the answers the newer one.
    """
    steps = [("bash", {}, "x" * 300)]
    first = conversation("Task 0.", *steps)
    second = [{**m, "tool_call_id": "d"} if is_result(m) else {**m} for m in conversation("Task 1.", *steps)[1:]]
    second[1]["tool_calls"] = [{**second[1]["tool_calls"][0], "id": "d"}]
    third = conversation("Task 2.", *steps * 3)[1:]
    messages = [*first, *second, *third]
    whole = messages[:-1]
    wanted = [messages[0], messages[1], messages[5], messages[8], messages[9], *messages[12:16]]
    room = request_chars(wanted, []) + 10
    trigger = request_chars(whole, [])
    result = replay(chat_thread(messages), "cline-basic", trigger, input_share=1.0, trigger=1.0, target=room / trigger, later_target=room / trigger)
    shown = [message for message in sent(result, len(result.thread.calls) - 1) if "SYSTEM_NOTICE" not in (message["content"] or "")]
    assert shown == wanted
    (note,) = result.inserts(len(result.thread.calls) - 1)
    assert "7 earlier messages" in note.text
    assert "bash (3)" in note.text
    assert "- Finished." in note.text


class SlowBasic:
    """The rule in plain words, on chat messages; notes are left out of what is compared."""

    def __init__(self, trigger: float, target: float, later: float, notes: list[int]) -> None:
        self.trigger, self.target, self.later, self.notes = trigger, target, later, notes
        self.gone: set[int] = set()
        self.done = 0

    def __call__(self, contexts: Sequence[Request]) -> list[Request]:
        found = []
        for call, context in enumerate(contexts):
            left = [message for index, message in enumerate(context) if index not in self.gone]
            note = self.notes[call - 1] if call and self.gone else 0
            if len(context) > self.done and request_chars(left, []) + note >= self.trigger:
                self.compact(context, note)
            found.append([message for index, message in enumerate(context) if index not in self.gone])
        return found

    def compact(self, context: Request, note: int) -> None:
        sizes = [len(canonical_json(message)) + 1 for message in context]
        users = [index for index, message in enumerate(context) if message["role"] == "user"]
        loose = [i for i, m in enumerate(context) if i >= self.done and m["role"] not in ("user", "system")]
        fixed = [message for index, message in enumerate(context) if index not in self.gone and index not in loose]
        room = (self.later if len(grouped(context)) // 2 >= 5 else self.target) - request_chars(fixed, []) - note - (0 if fixed else -1)
        current = list(range(max(self.done, users[-1] + 1 if users else 0), len(context)))
        tail: list[int] = []
        while current and sum(sizes[i] for i in tail) + sizes[current[-1]] <= room:
            tail.insert(0, current.pop())
        while tail and context[tail[0]]["role"] != "assistant":
            tail.pop(0)
        newest = len(context) - 1
        while is_result(context[newest]):
            newest -= 1
        begin = min([*tail[:1], newest])
        keep = {i for i in range(begin, len(context)) if i >= (users[-1] if users else 0) and i >= self.done}
        room -= sum(sizes[i] for i in keep if i in loose)
        for start, stop in reversed(list(pairwise(users))):
            replies = [i for i in range(start, stop) if context[i]["role"] == "assistant"]
            if replies and replies[-1] in loose and not context[replies[-1]].get("tool_calls") and sizes[replies[-1]] <= room:
                room -= sizes[replies[-1]]
                keep.add(replies[-1])
        self.gone |= {i for i in loose if i not in keep}
        self.done = len(context)


@FEW
@given(requests(most=24), st.integers(300, 2500))
def test_basic_compaction_message_by_message(messages: Request, window: int) -> None:
    if not any(message["role"] != "system" for message in messages):
        return
    settings = {"input_share": 1.0, "trigger": 0.9, "target": 0.7, "later_target": 0.5}
    result = replay(chat_thread(messages), "cline-basic", window, **settings)
    thread = result.thread
    contexts = [[dict(thread.messages[i].wire[0]) for i in call.messages()] for call in thread.calls]
    plan = result.fits[0].plan(0)
    notes = plan.inserts[0].size.tolist()  # their words are our own; their sizes decide when the next compaction comes
    slow = SlowBasic(window * 0.9, window * 0.9 * 0.7, window * 0.5, notes)(contexts)
    for call, expected in enumerate(slow):
        if not result.refused[call]:
            assert [m for m in sent(result, call) if "SYSTEM_NOTICE" not in (m["content"] or "")] == expected, call


def test_results_beside_a_text_are_stripped_where_their_calls_are_cut() -> None:
    """Anthropic's form: two results and no text in a message; the sample has turns, so some cut ends before a task."""
    result = replay(sample_thread("anthropic-thinking"), "cline-half-or-quarter", 10**6, max_allowed=5_000)
    last = len(result.thread.calls) - 1
    asked = [block["id"] for m in sent(result, last) if isinstance(m["content"], list) for block in m["content"] if block["type"] == "tool_use"]
    answered = [b["tool_use_id"] for m in sent(result, last) if isinstance(m["content"], list) for b in m["content"] if b["type"] == "tool_result"]
    assert sorted(asked) == sorted(answered)

"""From what a reader found to finished values: threads with sizes and units, sessions with their ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from itertools import accumulate

from ctxcore.model import Call, Event, JournalEntry, Json, Message, Thread, ThreadKind
from ctxcore.sizes.measure import char_sizes
from ctxcore.units import split_epochs


@dataclass(slots=True)
class ThreadDraft:
    """A thread while it is being read."""

    id: str
    kind: ThreadKind = "main"
    parent: str = ""
    parent_call: int | None = None
    title: str = ""
    messages: list[Message] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    window: int | None = None
    retold: set[int] = field(default_factory=set)
    """Messages of people that an earlier one says in another provider's shape: they begin no turn."""
    people: int = 0
    """Real user messages added so far: the turn of a call whose context holds the newest."""
    journal: list[JournalEntry] = field(default_factory=list)

    def add(self, message: Message) -> int:
        """Append a message; its index."""
        self.messages.append(message)
        self.people += message.is_real_user
        return len(self.messages) - 1

    def build(self, tool_sets: Sequence[Sequence[Json]] = ()) -> Thread:
        """The finished thread: character sizes, epochs with units, each call's turn, and those tool sets that its calls use."""
        messages = tuple(self.messages)
        used, self.calls = _own_tools(self.calls)
        sets = tuple(tuple(tool_sets[number]) for number in used)
        _place(messages, self.calls, self.retold)
        calls = tuple(self.calls)
        return Thread(
            id=self.id,
            kind=self.kind,
            parent=self.parent,
            parent_call=self.parent_call,
            title=self.title,
            messages=messages,
            calls=calls,
            events=tuple(self.events),
            journal=tuple(self.journal),
            tool_sets=sets,
            window=self.window,
            chars=char_sizes(messages, sets, [call.form_chars for call in calls]),
            epochs=split_epochs(messages, calls),
        )


def agent_draft(started_by: str, asked: Mapping[str, tuple[str, int, str]]) -> ThreadDraft:
    """The thread of a sub-agent that a tool call started; of one that the log does not hold, a child of the main agent.

    Args:
        started_by: Id of the tool call; the thread's id.
        asked: Per tool call: its thread, its call (-1: not known), and what the sub-agent is for.
    """
    parent, call, title = asked.get(started_by, ("main", -1, ""))
    return ThreadDraft(id=started_by, kind="agent", parent=parent, parent_call=call if call >= 0 else None, title=title)


NO_ID = "?"
"""First character of an id that a reader made up to tell calls apart while it reads; it is not the log's and does not stay."""


def without_made_ids(calls: Iterable[Call]) -> list[Call]:
    """The calls with no id where the log has none: an id tells that two files hold the same call."""
    return [replace(call, id="") if call.id.startswith(NO_ID) else call for call in calls]


def _own_tools(calls: list[Call]) -> tuple[list[int], list[Call]]:
    """Numbers of the session's tool sets that these calls use, and the calls with places in that list: a data set has as many sets as threads."""
    used = sorted({call.tools for call in calls if call.tools is not None})
    if used == list(range(len(used))):
        return used, calls
    place = {number: position for position, number in enumerate(used)}
    return used, [call if call.tools is None else replace(call, tools=place[call.tools]) for call in calls]


def _place(messages: Sequence[Message], calls: list[Call], retold: AbstractSet[int]) -> None:
    """Number the calls from 0, each with the ordinal of the newest real user message in its context; in place, so that no call is held twice."""
    held = [0, *accumulate(int(message.is_real_user) for message in messages)]
    upto = held if not retold else [0, *accumulate(int(message.is_real_user and index not in retold) for index, message in enumerate(messages))]
    for index, call in enumerate(calls):
        turn = 0
        for start, stop in call.context:
            if upto[stop] > turn and held[stop] > held[start]:
                turn = upto[stop]
                if turn == upto[-1]:  # none is newer
                    break
        if (call.index, call.turn) != (index, turn):
            calls[index] = replace(call, index=index, turn=turn)


def conversation_calls(messages: Sequence[Message], *, model: str = "", tools: int | None = None, start: int = 0, asks: bool = True) -> list[Call]:
    """Calls of a bare conversation.

    Every assistant message is the reply of one reconstructed call whose context is all before it; an end that is no assistant message makes one
    more call, recorded and without a reply: the list is a request. What an agent keeps of its run is none, there only replies tell of calls.

    Args:
        messages: Of the conversation.
        model: As recorded for the whole list.
        tools: Index of the tool set.
        start: Index of its first message in the thread.
        asks: False where the list is an agent's own record of its run.
    """
    calls: list[Call] = []
    turn = 0
    for position, message in enumerate(messages):
        if message.role == "assistant":
            context = ((start, start + position),) if position else ()
            calls.append(
                Call(
                    index=len(calls),
                    context=context,
                    reply=start + position,
                    known="reconstructed",
                    tools=tools,
                    model=model,
                    turn=turn,
                    at=message.at,
                    source=message.source,
                )
            )
        turn += message.is_real_user
    if asks and messages and messages[-1].role != "assistant":
        last = messages[-1]
        calls.append(
            Call(
                index=0,
                context=((start, start + len(messages)),),
                known="recorded",
                tools=tools,
                model=model,
                at=last.at,
                source=last.source,
                flags=("no_reply",),
            )
        )
    return calls

"""The forgetting test: core fields are taken out of the state at random, and the agent must notice before it acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal

from ctxcore.errors import InputError
from ctxcore.model import Message, Thread
from ctxcore.state.answering import heard
from ctxcore.state.candidates import named
from ctxcore.state.domain import Action, Domain
from ctxcore.state.editor import edit
from ctxcore.state.entries import FieldChain, State, is_missing
from ctxcore.state.injection import MISSING, action_named, context_for
from ctxcore.state.reading import spoken

DELETED = 3
"""Fields at most that one trial takes away."""

TRIALS = 100
"""Trials, unless set otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What an agent did next."""

    text: str = ""
    """What it said."""
    calls: tuple[str, ...] = ()
    """Names of the tools it called."""
    asks: frozenset[str] = frozenset()
    """Fields it is known to ask for, beyond what the text shows."""
    unseen: frozenset[str] = frozenset()
    """Fields taken away of which nobody knows what it does without them: the recording shows nothing."""


Outcome = Literal["noticed", "went on", "cannot tell"]
"""Of a trial."""

Agent = Callable[[State, frozenset[str]], Reply]
"""Gets the state with fields taken out, and which; answers with its next reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """How the trials went."""

    domain: str
    """Name."""
    action: str
    """Name."""
    trials: int
    """All."""
    seed: int
    """Of the dice."""
    noticed: int
    """Trials in which the agent asked, or did not act."""
    went_on: int
    """Trials in which it acted all the same."""
    cannot_tell: int
    """Trials that took away only required fields of which the recording shows nothing."""
    taken: int
    """Fields that each trial took away: as asked for, but never all core fields."""
    by_field: Mapping[str, tuple[int, int]]
    """Per core field: trials that took it away, and those of them in which the agent noticed."""
    untold: Mapping[str, int]
    """Per core field: trials that took it away and in which nothing tells what the agent does without it."""
    gate_refused: int
    """Trials in which the built-in gate refuses the action, whatever the agent does."""
    reasons: Mapping[str, str]
    """Per field: what the agent's noticing is read from, where the agent is a recording."""
    replies: int = 0
    """Different replies that the trials got: what the counts rest on."""


def forgetting_test(
    domain: Domain,
    state: State,
    action: str,
    agent: Agent,
    *,
    trials: int = TRIALS,
    seed: int = 0,
    most: int = DELETED,
    reasons: Mapping[str, str] | None = None,
) -> Forgotten:
    """Take core fields away at random, one to `most` at a time, at least one of them required by the action.

    Args:
        domain: Has the action.
        state: With all its values.
        action: Name of the action.
        agent: Answers each trial.
        trials: How many.
        seed: Of the dice; the same seed gives the same trials.
        most: Fields taken away in one trial.
        reasons: For the report.

    Raises:
        InputError: No such action, no trial, or no required field to take away.
    """
    if trials < 1:
        raise InputError(f"{trials} trials: give at least 1.")
    form = action_named(domain, action)
    required = tuple(form.required)
    if not required:
        raise InputError(f"The action {action} requires no field, so there is nothing to forget.")
    core = tuple(dict.fromkeys([*required, *(name for name, field in domain.fields.items() if field.core)]))
    dice = Random(seed)  # noqa: S311 - trials, not secrets
    taken = min(most, max(1, len(core) - 1))
    deletions = [_drawn(dice, core, required, taken) for _ in range(trials)]
    replies = [agent(without(state, gone), gone) for gone in deletions]
    outcomes = [_outcome(domain, form, gone, reply) for gone, reply in zip(deletions, replies, strict=True)]
    tried = list(zip(deletions, replies, outcomes, strict=True))
    refused = sum(bool(context_for(domain, without(state, gone), action).code) for gone in deletions)
    return Forgotten(
        domain=domain.name,
        action=action,
        trials=trials,
        seed=seed,
        noticed=outcomes.count("noticed"),
        went_on=outcomes.count("went on"),
        cannot_tell=outcomes.count("cannot tell"),
        taken=taken,
        by_field={name: _counted(name, deletions, outcomes) for name in core},
        untold={name: sum(name in reply.unseen and outcome != "noticed" for _, reply, outcome in tried) for name in core},
        gate_refused=refused,
        reasons=reasons or {},
        replies=len({(reply.text, reply.calls) for _, reply, outcome in tried if outcome != "cannot tell"}),
    )


def _drawn(dice: Random, core: Sequence[str], required: Sequence[str], taken: int) -> frozenset[str]:
    """Fields of one trial: some core ones, drawn again until the action needs one of them; never all, or every trial would be the same."""
    while True:
        gone = frozenset(dice.sample(core, taken))
        if not gone.isdisjoint(required):
            return gone


def _outcome(domain: Domain, action: Action, gone: frozenset[str], reply: Reply) -> Outcome:
    """The agent noticed if it asks for one of the required fields that are gone, or does not act; where none of them is seen, nobody can tell."""
    needed = gone.intersection(action.required)
    if needed <= reply.unseen:
        return "cannot tell"
    asked = reply.asks | set(heard(domain, reply.text))
    return "went on" if _acts(action, reply) and needed.isdisjoint(asked) else "noticed"


def _counted(name: str, deletions: Sequence[frozenset[str]], outcomes: Sequence[Outcome]) -> tuple[int, int]:
    mine = [outcome for gone, outcome in zip(deletions, outcomes, strict=True) if name in gone]
    return len(mine), mine.count("noticed")


def without(state: State, gone: frozenset[str]) -> State:
    """The state as if these fields had never been said."""
    fields = {name: FieldChain(name=name) if name in gone else chain for name, chain in state.fields.items()}
    return replace(state, fields=fields)


def recorded_agent(thread: Thread, domain: Domain, action: str) -> tuple[Agent, Mapping[str, str]]:
    """An agent whose next reply is read from a recording, and per required field what it is read from.

    A recording cannot be asked again, so each field has the reply that the recording shows for a state without it: the reply in
    which the agent performed the action while the field was missing; else one in which it asked for the field. For a field that
    was never missing when the agent could have noticed, and where the action is never performed, it shows nothing.

    Args:
        thread: The recording.
        domain: Has the action.
        action: Name of the action.
    """
    form = action_named(domain, action)
    replies = _replies(thread, domain, form)
    told = {name: _for_field(name, replies) for name in form.required}

    def agent(_state: State, gone: frozenset[str]) -> Reply:
        mine = [reply for name in form.required if name in gone and (reply := told[name][0]) is not None]
        noticing = [reply for reply in mine if not _acts(form, reply) or reply.asks]
        unseen = frozenset(name for name in gone if name not in told or told[name][0] is None)
        return replace((noticing or mine or [Reply()])[0], unseen=unseen)

    return agent, {name: reason for name, (_, reason) in told.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """One recorded reply, and the required fields that had no value before it."""

    message: int
    reply: Reply
    missing: frozenset[str]
    acts: bool


def _replies(thread: Thread, domain: Domain, action: Action) -> list[_Moment]:
    state = edit(thread, domain)
    moments: list[_Moment] = []
    for index, message in enumerate(thread.messages):
        if message.role == "assistant":
            reply = _reply(domain, action, message)
            acts = _acts(action, reply)
            if acts or reply.asks:
                missing = frozenset(_alerted(state, index)) if acts else _unknown(state, action, index)
                moments.append(_Moment(message=index, reply=reply, missing=missing, acts=acts))
    return moments


def _alerted(state: State, message: int) -> list[str]:
    """Fields that an action in this message was done without."""
    return [alert.field for alert in state.alerts if alert.code == MISSING and alert.source is not None and alert.source.message == message]


def _unknown(state: State, action: Action, message: int) -> frozenset[str]:
    before = state.as_of(message)
    return frozenset(name for name in action.required if is_missing(before.value(name)))


def _reply(domain: Domain, action: Action, message: Message) -> Reply:
    text = spoken(message)
    asks = frozenset(heard(domain, text)).intersection(action.required)
    return Reply(text=text, calls=tuple(call.name for call in message.calls), asks=asks)


def _acts(action: Action, reply: Reply) -> bool:
    return any(named(tool, call) for call in reply.calls for tool in action.tools)


def _for_field(name: str, moments: Sequence[_Moment]) -> tuple[Reply | None, str]:
    acted = next((one for one in moments if one.acts and name in one.missing), None)
    if acted is not None:
        return acted.reply, f"acted without it in message {acted.message}"
    asked = next((one for one in moments if name in one.reply.asks and name in one.missing), None)
    if asked is not None:
        return asked.reply, f"asked for it in message {asked.message}"
    performed = next((one for one in moments if one.acts), None)
    if performed is not None:
        return None, f"never seen without it; acted in message {performed.message}"
    return None, "the action is never performed"

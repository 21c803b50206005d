"""The JSON that the command line prints: pure functions from values to plain objects, and strict text from those.

Each object names its schema, ``ctxscope.<command>/<version>``; a version changes when a key is renamed, removed or changes its meaning.
Sizes are whole numbers, times Unix seconds, unknown values null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from ctxcore.columns import CATEGORIES, IntArray, Sizes
from ctxcore.measures.breakdown import breakdown, call_basis, replay_basis, weakest
from ctxcore.measures.shared import distinct_messages, shared_messages
from ctxcore.model import Call, Json, Problem, Session, Thread
from ctxcore.policies.needs import Needs
from ctxcore.readers.plugins import all_readers
from ctxcore.replay import Replay
from ctxcore.sizes.measure import thread_sizes
from ctxcore.views.duration import time_json
from ctxcore.views.events import events_json
from ctxcore.views.masking import masked, masked_json
from ctxcore.views.uncounted import uncounted_json
from ctxcore.views.visible import JSON_STEERING, LONE_SURROGATES
from ctxcore.views.words import session_notes

Object = dict[str, Any]


def strict_json(value: Json) -> str:
    """JSON text that every parser takes and no terminal obeys: no NaN, no lone surrogates, control and direction marks escaped.

    Raises:
        ValueError: NaN or an infinity in the value.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1)
    return JSON_STEERING.sub(_escape, LONE_SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text))


def _escape(match: Any) -> str:
    return json.dumps(match.group())[1:-1]


def formats_json() -> Object:
    """``ctxscope.formats/1``: every format that can be read, in the order they are tried."""
    return {
        "schema": "ctxscope.formats/1",
        "formats": [{"name": r.name, "family": r.family, "level": r.level, "detects": r.detects} for r in all_readers()],
    }


def inspect_json(session: Session, sessions: Sequence[Session]) -> Object:
    """``ctxscope.inspect/1``: one session, every call of it.

    Args:
        session: The one shown.
        sessions: All that the file holds.
    """
    threads = [_thread(thread) for thread in session.threads]
    return {
        "schema": "ctxscope.inspect/1",
        "file": session.name,
        "session": session.id,
        "sessions": [_session_line(one) for one in sessions],
        "format": session.format,
        "level": session.level,
        "not_recorded": list(session.not_recorded),
        "ledger": _ledger(session),
        "problems": [_problem(problem) for problem in session.problems],
        "notes": masked_json(session_notes(session)),
        "time": time_json(session.threads),
        "threads": threads,
        "totals": _totals(threads, session.threads),
    }


def _session_line(session: Session) -> Object:
    return {
        "id": session.id,
        "file": session.name,
        "format": session.format,
        "threads": len(session.threads),
        "calls": sum(len(t.calls) for t in session.threads),
    }


def _ledger(session: Session) -> Object:
    ledger = session.ledger
    return {"records": ledger.records, "read": ledger.read, "skipped": dict(ledger.skipped)}


def _problem(problem: Problem) -> Object:
    source = problem.source
    return {
        "kind": problem.kind,
        "what": masked(problem.what),
        "file": source.file,
        "line": source.line or None,
        "path": source.path or None,
        "excerpt": masked(problem.excerpt),
    }


def _thread(thread: Thread) -> Object:
    chars, tokens = thread_sizes(thread, "chars"), thread_sizes(thread, "tokens")
    rows = zip(thread.calls, breakdown(thread, chars), breakdown(thread, tokens), strict=True)
    return {
        "id": thread.id,
        "kind": thread.kind,
        "parent": thread.parent or None,
        "parent_call": thread.parent_call,
        "title": masked(thread.title),
        "messages": len(thread.messages),
        "tokenizer": masked(tokens.counter),
        "events": masked_json(events_json(thread)),
        "calls": [_call(call, tokens, by_chars, by_tokens) for call, by_chars, by_tokens in rows],
    }


def _call(call: Call, token_sizes: Sizes, by_chars: IntArray, by_tokens: IntArray) -> Object:
    tokens = int(by_tokens.sum())
    recorded = None if call.usage is None else call.usage.input_tokens
    return {
        "index": call.index,
        "turn": call.turn,
        "messages": call.message_count,
        "chars": int(by_chars.sum()),
        "tokens": tokens,
        "tokens_basis": call_basis(call, token_sizes),
        "context": call.known,
        "recorded_input_tokens": recorded,
        "recorded_output_tokens": None if call.usage is None else call.usage.output_tokens,
        "not_recorded_tokens": None if recorded is None else recorded - tokens,
        "breakdown": _parts(by_chars),
        "breakdown_tokens": _parts(by_tokens),
        "model": masked(call.model) or None,
        "at": call.at,
        "flags": list(call.flags),
    }


def _parts(row: IntArray) -> Object:
    return dict(zip(CATEGORIES, row.tolist(), strict=True))


def _totals(shown: Sequence[Object], threads: Sequence[Thread]) -> Object:
    """Over all threads; a call's context counts again in every call that sends it, as it does on a bill."""
    calls = [call for thread in shown for call in thread["calls"]]
    return {
        "threads": len(threads),
        "messages": distinct_messages(threads),
        "shared_messages": sum(shared_messages(threads)),
        "calls": len(calls),
        "chars": _sum(calls, "chars"),
        "tokens": _sum(calls, "tokens"),
        "recorded_input_tokens": _known_sum(calls, "recorded_input_tokens"),
        "calls_with_recorded_input": _known_count(calls, "recorded_input_tokens"),
        "recorded_output_tokens": _known_sum(calls, "recorded_output_tokens"),
        "calls_with_recorded_output": _known_count(calls, "recorded_output_tokens"),
        "peak_chars": max((call["chars"] for call in calls), default=0),
        "peak_tokens": max((call["tokens"] for call in calls), default=0),
    }


def _sum(calls: Iterable[Object], key: str) -> int:
    return sum(call[key] for call in calls)


def _known_sum(calls: Iterable[Object], key: str) -> int | None:
    """The sum over the calls that have a recorded value; null where none has."""
    known = [call[key] for call in calls if call[key] is not None]
    return sum(known) if known else None


def _known_count(calls: Iterable[Object], key: str) -> int:
    """Calls that have a recorded value."""
    return sum(call[key] is not None for call in calls)


def replay_json(session: Session, replays: Sequence[Replay]) -> Object:
    """``ctxscope.replay/1``: what a policy does to every call at one budget.

    Args:
        session: Of the threads.
        replays: One per thread, all with the same policy, budget and unit; at least one.
    """
    first = replays[0]
    calls = [row for one in replays for row in _replayed_calls(one)]
    return {
        "schema": "ctxscope.replay/1",
        "file": session.name,
        "session": session.id,
        "policy": first.policy.name,
        "budget": first.budget,
        "unit": first.unit,
        "basis": weakest(replay_basis(one) for one in replays),
        "counter": masked(first.sizes.counter),
        "uncounted": uncounted_json([one.thread for one in replays], session.not_recorded),
        "assumed": list(dict.fromkeys(sentence for one in replays for sentence in one.assumed)),
        "calls": calls,
        "totals": {
            "calls": len(calls),
            "refused": sum(call["refused"] is not None for call in calls),
            "before": _sum(calls, "before"),
            "after": sum(call["after"] or 0 for call in calls),
        },
    }


def _needs(needs: Needs | None) -> Object | None:
    """What a refused call still holds after every cut."""
    if needs is None:
        return None
    named = {name: getattr(needs, name) for name in ("total", "system", "tools", "task", "newest", "rest")}
    return {**named, "what": str(needs)}


def _replayed_calls(replay: Replay) -> list[Object]:
    calls = replay.thread.calls
    lacking = replay.no_user_task.tolist()
    columns = (
        replay.before.tolist(),
        replay.after.tolist(),
        replay.refused.tolist(),
        replay.missing.tolist(),
        replay.dropped_messages.tolist(),
        replay.dropped_turns.tolist(),
        replay.dropped_exchanges.tolist(),
        replay.edited.tolist(),
    )
    return [
        {
            "thread": replay.thread.id,
            "index": index,
            "before": before,
            "after": None if refused else after,
            "refused": replay.refusal(index),
            "missing": missing,
            "dropped_messages": messages,
            "dropped_turns": turns,
            "dropped_exchanges": exchanges,
            "changed_parts": changed,
            "needs": _needs(replay.needs(index)) if refused else None,
            "flags": [*calls[index].flags, *(("no_user_task",) if lacking[index] else ())],
        }
        for index, (before, after, refused, missing, messages, turns, exchanges, changed) in enumerate(zip(*columns, strict=True))
    ]

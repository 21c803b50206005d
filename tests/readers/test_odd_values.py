"""A law of every benchmark reader: whatever stands in place of any value of a log, it is read or refused, and its records are accounted for."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from ctxcore.readers.detect import read_uploads
from tests.readers import test_atif as atif
from tests.readers import test_inspect as inspect
from tests.readers import test_mini_swe_agent as mini
from tests.readers import test_openhands as openhands
from tests.readers import test_swe_agent as swe
from tests.readers import test_tau_bench as tau
from tests.readers import test_terminal_bench as terminal

META = openhands.metadata("c1", "r1")

CONDENSED = {"id": 4, "source": "agent", "action": "condensation", "args": {"forgotten_event_ids": [1, 2], "summary": "S", "summary_offset": 1}}

LOGS: dict[str, Any] = {
    "openhands events": [openhands.said(0, "Hi"), openhands.asks(1, META), openhands.answers(2, META), CONDENSED, openhands.said(5, "Yes", "agent")],
    "openhands conversation": openhands.V1,
    "openhands run": {
        "instance_id": "i",
        "history": [openhands.said(0, "Hi"), openhands.said(1, "Yes", "agent")],
        "metrics": {"token_usages": [{"prompt_tokens": 1, "response_id": "r"}]},
        "metadata": {"llm_config": {"model": "m", "max_message_chars": 9}},
    },
    "swe-agent old": swe.run(2, tokens_sent=9, tokens_received=2, api_calls=3),
    "swe-agent": swe.tool_run(),
    "mini-swe-agent": {"info": {"mini_version": "1", "exit_status": "x"}, "messages": list(mini.RUN), "trajectory_format": "mini-swe-agent-1"},
    "atif": {**atif.MAIN, "subagent_trajectories": [atif.QUESTIONS]},
    "inspect": inspect.log(inspect.sample(inspect.REFERRED, message_pool=inspect.POOL, attachments={"a": "b"})),
    "tau-bench": [tau.run(tau.said("user", "Hi"), tau.asks("a"), tau.said("tool", "x", tool_call_id="a"))] * 2,
    "tau2-bench": tau.results(*tau.TALK[:6]),
    "terminal-bench": terminal.record("Task", "ok", "done"),
}

MOST_PLACES = 60
"""Of each log, evenly spread."""

JUNK: tuple[Any, ...] = (None, 7, "x", [[1]], {"role": {}})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths to everything in a value, itself left out."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield (*path, key)
        yield from places(entry, (*path, key))


def put(value: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """A copy with something else in one place."""
    made = copy.deepcopy(value)
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = junk
    return made


@pytest.mark.parametrize("name", LOGS)
def test_junk_anywhere_is_read_or_refused(name: str):
    every = list(places(LOGS[name]))
    for number, path in enumerate(every[:: 1 + len(every) // MOST_PLACES]):
        value = put(LOGS[name], path, JUNK[number % len(JUNK)])
        reading = read_uploads([("log.json", json.dumps(value).encode())])
        assert reading.sessions or reading.failures
        for session in reading.sessions:
            ledger = session.ledger
            assert ledger.records == ledger.read + sum(count for _, count in ledger.skipped), path

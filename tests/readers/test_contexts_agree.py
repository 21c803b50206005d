"""What a rebuilt context must be where the true input is recorded too: the shares that follow from facts counted in the files by hand."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from ctxcore import read_session
from tests.context_equality import GROWING, Shares, context_form, shares

ALL_AGREE = {
    "smolagents/gen_smolagents_memory_full_steps.json": 14,
    "inspect/docent_agent_log.eval": 147,
    "inspect/scout_security-guide.eval": 16,
    "inspect/inspect_browser_405KB.json": 5,
    "openhands/v1_conv_20260121-…": 3,
    "openhands/sdk_llm_logs_fncall": 6,
    "harbor-atif/terminus_2_….json": 7,
    "cline/task_1769053680585": 47,
    "terminal-bench-v1/lcbpro-2053d": 1,
    "openai_chat/openhands_session.jsonl": 34,
    "swe-agent/v1_kimi_dask-8685_548KB.traj": 14,
    "langchain_messages/gen_langchain_messages_to_dict.json": 14,
    "langgraph_state/gen_langgraph_state_history.json": 14,
    "langgraph_state/gen_langgraph_checkpoints.sqlite": 14,
    "pydantic_ai/gen_pydantic_ai_all_messages.json": 14,
    "vercel_ai_sdk/gen_vercel_ui_messages.json": 14,
    "openai_agents_sdk/gen_openai_agents_session.sqlite": 14,
    "openai_chat/stored_completion_ask_github_gc.json": 14,
}
"""Every call agrees. Counted: steps with an input; model events (docent: 147 in 15 samples; scout: one for each sample, the scorer's apart);
telemetry files; log files; agent steps with metrics; ``api_req_started`` entries; request lines; queries; assistant messages of the one run."""

SOME_DIFFER = {
    "swe-agent/v1_gpt5_monai-5416_4.6MB.traj": (36, 37),
    "swe-agent/v1_claude_bokeh-13370.traj": (35, 36),
    "openai_chat/lmcache_minimax_session.jsonl": (32, 35),
    "http_pair_jsonl/claude-trace_log-2026-06-16-02-37-53.jsonl": (2, 4),
    "tau2-bench/tau2_gpt41_telecom_2.7MB.json": (776, 792),
}
"""Agreeing calls and all calls.

- SWE-agent: one reply a run used no tool and was asked for again. The history keeps neither that reply nor the demand; one query has them.
- lmcache: three requests are followed by one that is longer by 1 message, so their replies are in no later request.
- HTTP pairs: the client changed the provider after two calls, and with it the system prompt.
- tau2-bench: in 16 of the agent's 376 pairs of calls it received 230 to 390 tokens more; in none of the simulated user's 416.
"""


@pytest.fixture(scope="module")
def found(shared: Path) -> dict[str, Shares]:
    return {row.file: row for row in shares(shared / "corpus")}


def test_rebuilt_contexts_agree_with_the_recorded_ones(found: dict[str, Shares]):
    assert {file: (row.agree, row.calls) for file, row in found.items() if file in ALL_AGREE} == {file: (n, n) for file, n in ALL_AGREE.items()}


def test_those_that_differ_are_those_that_cannot_be_told(found: dict[str, Shares]):
    assert {file: (row.agree, row.calls) for file, row in found.items() if file in SOME_DIFFER} == SOME_DIFFER
    assert sum(row.agree for row in found.values()) / sum(row.calls for row in found.values()) > 0.98


def test_the_facts_that_the_differing_shares_follow_from(shared: Path):
    """Counted in the files without a reader: requests longer by one message, queries that end in a demand, changed system prompts."""
    corpus = shared / "corpus"
    lengths = [len(json.loads(line)["messages"]) for line in (corpus / GROWING[0]).read_text().splitlines()]
    assert sum(after - before == 1 for before, after in pairwise(lengths)) == 3
    for name in ("v1_gpt5_monai-5416_4.6MB", "v1_claude_bokeh-13370"):
        steps = json.loads((corpus / "swe-agent" / f"{name}.traj").read_text())["trajectory"]
        assert sum("did not use any tool calls" in str(step["query"][-1]["content"]) for step in steps) == 1
    pairs = corpus / "http_pair_jsonl" / "claude-trace_log-2026-06-16-02-37-53.jsonl"
    thread = max(read_session(pairs).threads, key=lambda one: len(one.calls))
    assert len({str(context_form(thread, call)[0]) for call in thread.calls[:2]}) == 1
    assert [event.call for event in thread.events if event.kind == "history_changed"] == [2]

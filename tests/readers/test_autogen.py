"""AutoGen: the model context of each agent in a saved state, and the messages of a run."""

from __future__ import annotations

import json
from pathlib import Path

from ctxcore import read_session

CALL = {"id": "k1", "name": "look", "arguments": "{}"}
RESULT = {"call_id": "k1", "name": "look", "content": "dust", "is_error": True}


def context(*messages: dict) -> dict:
    return {"type": "ChatAgentContainerState", "agent_state": {"type": "AssistantAgentState", "llm_context": {"messages": list(messages)}}}


def spoken(source: str, kind: str, content, tokens: int | None = None) -> dict:
    usage = None if tokens is None else {"prompt_tokens": tokens, "completion_tokens": 1}
    return {"source": source, "type": kind, "content": content, "models_usage": usage, "created_at": "2026-01-02T03:04:05Z", "metadata": {}}


CONTEXT = (
    {"type": "UserMessage", "content": "Where?", "source": "user"},
    {"type": "AssistantMessage", "content": [CALL], "thought": "hm", "source": "finder"},
    {"type": "FunctionExecutionResultMessage", "content": [RESULT]},
    {"type": "AssistantMessage", "content": "Not there.", "source": "finder"},
)
RUN = (
    spoken("user", "TextMessage", "Where?"),
    spoken("finder", "ThoughtEvent", "hm"),
    spoken("finder", "ToolCallRequestEvent", [CALL], 10),
    spoken("finder", "ToolCallExecutionEvent", [RESULT]),
    spoken("finder", "ToolCallSummaryMessage", "dust"),
    spoken("finder", "TextMessage", "Not there.", 20),
)


def test_each_agent_of_a_team_is_a_thread_with_its_true_context():
    """Counts and times come from the group's own list, where the agent's entries with a usage are as many as its replies."""
    manager = {"type": "RoundRobinManagerState", "message_thread": list(RUN)}
    state = {"type": "TeamState", "agent_states": {"helper": context(CONTEXT[0]), "finder": context(*CONTEXT), "manager": manager}}
    session = read_session(json.dumps(state).encode())
    finder, helper = session.threads
    assert (session.format, session.level, finder.id, helper.id) == ("autogen", "message list only", "finder", "helper")
    assert [c.context for c in finder.calls] == [((0, 1),), ((0, 3),)]
    assert [c.usage.input_tokens for c in finder.calls] == [10, 20]
    assert [p.kind for p in finder.messages[1].parts] == ["reasoning", "tool_call"]
    assert finder.messages[2].results[0].is_error
    assert "usage" not in session.not_recorded


def test_the_messages_of_a_run_are_calls_without_the_summary_of_results():
    session = read_session(json.dumps({"messages": list(RUN), "stop_reason": "done"}).encode())
    (thread,) = session.threads
    assert [m.role for m in thread.messages] == ["user", "assistant", "tool", "assistant"]
    assert [p.kind for p in thread.messages[1].parts] == ["reasoning", "tool_call"]
    assert [c.usage.input_tokens for c in thread.calls] == [10, 20]
    assert dict(session.ledger.skipped) == {"no message of a model context": 1}
    assert session.ledger.records == session.ledger.read + 1 == 6


def test_results_at_the_end_of_a_run_are_no_call():
    """The agent stopped with what its tool gave back."""
    (thread,) = read_session(json.dumps({"messages": list(RUN[:5]), "stop_reason": "done"}).encode()).threads
    assert [c.reply for c in thread.calls] == [1]
    (thread,) = read_session(json.dumps({"type": "TeamState", "agent_states": {"finder": context(*CONTEXT[:3])}}).encode()).threads
    assert [c.reply for c in thread.calls] == [1]


def test_odd_states_do_not_raise():
    state = {
        "type": "TeamState",
        "agent_states": {"a": 3, "b": context(1, {}, {"type": "AssistantMessage", "content": 5}), "c": {"message_thread": 1}},
    }  # type: ignore[arg-type]
    (thread,) = read_session(json.dumps(state).encode()).threads
    assert [m.role for m in thread.messages] == ["user", "assistant"]


def test_a_real_team_has_the_fourteen_calls_of_its_session(shared: Path):
    """28 messages of the agent's context; the last call has the session's counts, 52,529."""
    path = shared / "corpus" / "autogen" / "gen_autogen_team_state.json"
    messages = json.loads(path.read_text())["agent_states"]["repo_explorer"]["agent_state"]["llm_context"]["messages"]
    (thread,) = read_session(path).threads
    assert len(thread.messages) == len(messages) == 28
    assert len(thread.calls) == sum(m["type"] == "AssistantMessage" for m in messages) == 14
    assert thread.calls[-1].usage.input_tokens == 52529

"""What must become of every file of the corpus: the format it is read as, or words of the reason why it cannot be read."""

from __future__ import annotations

FORMATS = {
    "anthropic_messages": "anthropic-messages",
    "claude_managed_agents": "managed-agents",
    "har_mitmproxy": "har",
    "http_pair_jsonl": "http-pairs",
    "langchain_messages": "langchain",
    "langgraph_state": "langgraph",
    "letta_af": "letta",
    "openai_batch": "batch",
    "openai_chat": "openai-chat",
    "openai_responses": "openai-responses",
    "openinference_otlp": "openinference",
    "otel_genai": "otel-genai",
    "pydantic_ai": "pydantic-ai",
    "vcrpy_classic": "vcr-cassette",
    "vcrpy_parsed_body": "vcr-cassette",
    "vercel_ai_sdk": "vercel-ai",
}
"""Words of the index and the names that the readers have for them, where they differ."""

READ_AS = {
    "claude-code/stream-json/": "claude-code-stream",
    "langgraph_state/gen_langgraph_checkpoints.sqlite": "langgraph-sqlite",
    "mini-swe-agent/mini_tests_local": "openai-chat",
    "openai_agents_sdk/gen_openai_agents_session.sqlite": "openai-agents-session",
    "openai_agents_sdk/gen_openai_agents_trace_spans.jsonl": "openai-agents-trace",
    "openai_agents_sdk/openllmetry_": "vcr-cassette",
    "openai_chat/agentops_openai_chat_tool_calls.json": "answers",
    "openai_chat/deepseek-tool-call.chunks.txt": "answers",
    "openhands/profiler_": "openai-chat",
    "openhands/sdk_llm_logs_fncall/": "openai-chat",
    "openhands/v1_conv_20260121-223755_with_llm_telemetry/telemetry_": "openai-chat",
    "openhands/v1_llm_log_last_call": "openai-chat",
    "other/kimi_": "kimi",
    "other/toolbench_": "toolbench",
    "otel_genai/monocle_": "spans",
    "sharegpt/llamafactory_v1_": "openai-chat",
    "sharegpt/mllm_demo": "openai-chat",
    "smolagents/openinference_smolagents_reasoning.yaml": "vcr-cassette",
}
"""Beginnings of files whose folder is named by the program while the file is a request, a list of messages, an answer alone, or recorded HTTP."""

REFUSED = {
    "aider/pocketflow.aider.input.history": "a file of aider (known by",
    "autogen/whowhen_": "a Who&When annotation",
    "bfcl/": "a BFCL question set",
    "claude-code/NOT-": "no known session format",
    "cline/task_1769053680585/task_metadata.json": "a file of cline (known by",
    "crewai/": "without a model call that can be read",
    "cursor/jazzy_cursor_store.db": "an SQLite database",
    "odd_negative/": "no known session format",
    "openhands/v1_conv_20260121-223755_with_llm_telemetry/3fdb316098bb48e1aa029ce56805792a/base_state.json": "without its events",
    "openhands/v1_conv_cd945/cd94562403b9487ebdd4018e3f531dfd/base_state.json": "without its events",
    "otel_genai/vs_copilot_": "no span of the trace is a model call",
    "pi/agentv_pi_stream_log.txt": "no known session format",
    "pi/openclaw_lru_demo/sessions.json": "a file of pi (known by",
    "pydantic_ai/rdfmcp_": "printed as Python text",
    "roo-code/natural-already-condensed/task_metadata.json": "a file of roo-code (known by",
    "roo-code/natural-mini-uncondensed/task_metadata.json": "a file of roo-code (known by",
    "terminal-bench-v1/lcbpro-2053d/prompt.txt": "no known session format",
    "terminal-bench-v1/lcbpro-2053d/response.json": "no known session format",
}
"""Beginnings of files that give no session by themselves, and words of the reason: no recordings, formats without calls, companions of others."""

WITHOUT_CALLS = (
    "claude-code/llmbuilds/agent-a840319_403B.jsonl",
    "inspect/inspect_toolcall_error.json",
    "letta_af/customer_service.af",
    "letta_af/memgpt_agent_with_convo.af",
    "openhands/v1_conv_",
    "swe-agent/demo_",
)
"""Beginnings of files that hold no call: a question without an answer, single events of a conversation, a run that a list of actions played,
agents without a reply."""


def expected(file: str, word: str) -> tuple[str, str]:
    """The format of a file and nothing, or nothing and words of the reason why it is refused.

    Args:
        file: Path in the corpus.
        word: The index's word for its format.
    """
    reason = next((words for start, words in REFUSED.items() if file.startswith(start)), "")
    if reason:
        return "", reason
    return next((name for start, name in READ_AS.items() if file.startswith(start)), FORMATS.get(word, word)), ""

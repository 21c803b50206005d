"""Which rules are compared with which functions of which packages; a package is one entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One rule of ours and its original."""

    policy: str
    """Name of ours."""
    function: str
    """Name in the driver."""
    settings: tuple[Mapping[str, Any], ...] = ({},)
    """Each is tried; the driver gets the same ones."""
    differences: tuple[str, ...] = ()
    """What is different on purpose, with its reason; printed."""


@dataclass(frozen=True, kw_only=True)
class Upstream:
    """One driver."""

    driver: str
    """Script in ``drivers``, without its ending ``_driver.py``."""
    requirements: str
    """List in ``requirements``, without its ending; drivers may share one."""
    trials: tuple[Trial, ...]
    """What is compared."""


WITHOUT_TEXT = {"summary": "opaque", "ratio": 0.0}
"""Summaries without a size: what goes and when is compared, not what a model would write."""

LANGCHAIN = Upstream(
    driver="langchain",
    requirements="langchain",
    trials=(
        Trial(
            policy="langchain-trim",
            function="trim_messages",
            settings=(
                {"include_system": True},
                {"include_system": False},
                {"include_system": True, "start_on": ["human"]},
                {"include_system": False, "start_on": ["ai", "human"]},
                {"include_system": True, "start_on": ["tool"], "end_on": ["ai"]},
                {"include_system": True, "end_on": ["human", "tool"]},
                {"include_system": False, "start_on": ["human"], "end_on": ["system"]},
            ),
        ),
        Trial(
            policy="langchain-clear-tool-uses",
            function="clear_tool_uses",
            settings=(
                {},
                {"keep_results": 0, "clear_tool_inputs": True, "placeholder": "gone"},
                {"keep_results": 1, "clear_at_least": 600, "exclude_tools": ["grep", "run"]},
                {"keep_results": 2, "clear_at_least": 300, "clear_tool_inputs": True},
                {"keep_results": 0, "clear_at_least": 100_000, "exclude_tools": ["search"]},
            ),
        ),
        Trial(
            policy="langchain-summarization",
            function="summarize",
            settings=(
                {**WITHOUT_TEXT, "keep_messages": 4},
                {**WITHOUT_TEXT, "keep_messages": 3, "trigger_messages": 8},
                {**WITHOUT_TEXT, "keep_tokens": 900},
                {**WITHOUT_TEXT, "keep_tokens": 30},
            ),
        ),
        Trial(
            policy="langmem-summary",
            function="running_summary",
            settings=(
                {**WITHOUT_TEXT, "max_summary_tokens": 100},
                {**WITHOUT_TEXT, "max_summary_tokens": 50, "max_tokens_before_summary": 800},
            ),
            differences=("Where results stand in another order than their calls, the real one may raise; ours goes on.",),
        ),
    ),
)

LLAMA_INDEX = Upstream(
    driver="llama_index",
    requirements="llama_index",
    trials=(
        Trial(
            policy="llamaindex-buffer",
            function="buffer",
            differences=("Where the system text alone is over the limit, the real one raises; ours keeps the newest message.",),
        ),
        Trial(policy="llamaindex-summary-buffer", function="summary_buffer", settings=(WITHOUT_TEXT,)),
        Trial(
            policy="llamaindex-memory",
            function="memory",
            settings=(
                {"token_flush_size": 200},
                {"token_flush_size": 1500, "chat_history_token_ratio": 0.5},
                {"token_flush_size": 100_000, "chat_history_token_ratio": 1.0},
            ),
            differences=("The limit follows what a call's system text and tools leave; the real one has one limit for all calls.",),
        ),
    ),
)

READS = {"tools": ["read_file", "grep", "search"], "path_arguments": ["path"]}

TIERS = {**READS, "placeholder": "gone", "max_part_chars": 250, "keep_head_chars": 20, "keep_tail_chars": 20}

PYDANTIC_AI = Upstream(
    driver="pydantic_ai",
    requirements="pydantic_ai_harness",
    trials=(
        Trial(
            policy="pydantic-ai-sliding-window",
            function="window",
            settings=(
                {"keep_messages": 4},
                {"keep_messages": 7, "max_messages": 9},
                {"keep_messages": 0, "preserve_first_user_message": False},
                {"keep_messages": 3, "preserve_first_user_message": False},
                {"keep_tokens": 900},
                {"keep_tokens": 0},
                {"keep_tokens": 2500, "preserve_first_user_message": False},
            ),
        ),
        Trial(
            policy="pydantic-ai-clear-tool-results",
            function="clear",
            settings=(
                {},
                {"keep_pairs": 0, "clear_tool_inputs": True},
                {"keep_pairs": 1, "exclude_tools": ["grep", "run"], "min_clear_tokens": 500},
                {"keep_pairs": 2, "max_messages": 6, "clear_tool_inputs": True, "min_clear_tokens": 100},
            ),
        ),
        Trial(
            policy="pydantic-ai-deduplicate-reads",
            function="deduplicate",
            settings=({**READS}, {**READS, "max_tokens": 2000, "placeholder": "old"}),
        ),
        Trial(
            policy="pydantic-ai-clamp",
            function="clamp",
            settings=(
                {"max_part_chars": 250, "keep_head_chars": 20, "keep_tail_chars": 30},
                {"max_part_chars": 150, "keep_head_chars": 30, "keep_tail_chars": 0, "clamp_tool_call_args": False},
            ),
            differences=(
                "The real one writes arguments without spaces before it counts them; ours counts what was recorded.",
                "Where the kept ends and the note are still too long, the real one clamps them again at each request; ours does not.",
            ),
        ),
        Trial(
            policy="pydantic-ai-summarizing",
            function="summarize",
            settings=(
                {**WITHOUT_TEXT, "keep_messages": 4},
                {**WITHOUT_TEXT, "keep_messages": 3, "max_messages": 7, "preserve_first_user_message": False},
                {**WITHOUT_TEXT, "keep_messages": 7},
            ),
        ),
        Trial(
            policy="pydantic-ai-tiered",
            function="tiers",
            settings=(
                {**TIERS, "tiers": ["clamp", "deduplicate", "clear", "window"], "keep_pairs": 2, "keep_messages": 5},
                {**TIERS, "tiers": ["clear", "window"], "keep_pairs": 1, "keep_messages": 8},
                {**TIERS, "tiers": ["window", "deduplicate", "clamp"], "keep_pairs": 1, "keep_messages": 6},
            ),
        ),
    ),
)

JOINED = "Results in a row are one message on both sides, as the package itself keeps them; the request has one for each."
OUTSIDE = "System messages stand outside the list, as the agent adds its own; both sides keep them where they are."

AUTOGEN = Upstream(
    driver="autogen",
    requirements="autogen",
    trials=(
        Trial(
            policy="autogen-buffered",
            function="buffered",
            settings=({"buffer_size": 1}, {"buffer_size": 2}, {"buffer_size": 5}, {"buffer_size": 40}),
            differences=(JOINED, OUTSIDE),
        ),
        Trial(
            policy="autogen-head-and-tail",
            function="head_and_tail",
            settings=({"head_size": 1, "tail_size": 1}, {"head_size": 2, "tail_size": 3}, {"head_size": 3, "tail_size": 2}),
            differences=(JOINED, OUTSIDE),
        ),
        Trial(
            policy="autogen-token-limited",
            function="token_limited",
            differences=(
                JOINED,
                OUTSIDE,
                "The limit is what the budget leaves beside system text and tools; where it leaves nothing, the real one gets 1.",
            ),
        ),
    ),
)

GOOGLE_ADK = Upstream(
    driver="google_adk",
    requirements="google_adk",
    trials=(
        Trial(
            policy="adk-context-filter",
            function="context_filter",
            settings=(
                {"num_invocations_to_keep": 1},
                {"num_invocations_to_keep": 2},
                {"num_invocations_to_keep": 1, "remove_amount": 3},
                {"num_invocations_to_keep": 0},
            ),
            differences=(JOINED, OUTSIDE),
        ),
        Trial(
            policy="adk-compaction",
            function="token_compaction",
            settings=(
                {**WITHOUT_TEXT, "event_retention_size": 2},
                {**WITHOUT_TEXT, "event_retention_size": 5},
                {**WITHOUT_TEXT, "event_retention_size": 0},
            ),
            differences=(
                JOINED,
                OUTSIDE,
                "Both sides count prompts in characters; the real one's estimates are replaced by that count.",
            ),
        ),
    ),
)

SEMANTIC_KERNEL = Upstream(
    driver="semantic_kernel",
    requirements="semantic_kernel",
    trials=(
        Trial(
            policy="semantic-kernel-truncation",
            function="truncation",
            settings=(
                {"target_count": 1, "threshold_count": 0},
                {"target_count": 2, "threshold_count": 0},
                {"target_count": 3, "threshold_count": 2},
                {"target_count": 6, "threshold_count": 4},
            ),
        ),
        Trial(
            policy="semantic-kernel-summarization",
            function="summarization",
            settings=(
                {**WITHOUT_TEXT, "target_count": 1, "threshold_count": 0},
                {**WITHOUT_TEXT, "target_count": 3, "threshold_count": 0},
                {**WITHOUT_TEXT, "target_count": 3, "threshold_count": 2, "include_function_content_in_summary": True},
                {**WITHOUT_TEXT, "target_count": 6, "threshold_count": 4},
            ),
        ),
    ),
)

AGENT_FRAMEWORK = Upstream(
    driver="agent_framework",
    requirements="agent_framework",
    trials=(
        Trial(
            policy="agent-framework-truncation",
            function="truncation",
            settings=(
                {},
                {"compact_to": 400, "preserve_first_user_group": True},
                {"preserve_system": False},
                {"max_messages": 5},
                {"max_messages": 6, "compact_to_messages": 6},
                {"max_messages": 4, "compact_to_messages": 1, "preserve_system": False, "preserve_first_user_group": True},
            ),
        ),
        Trial(
            policy="agent-framework-sliding-window",
            function="sliding_window",
            settings=({"keep_last_groups": 1}, {"keep_last_groups": 3}, {"keep_last_groups": 2, "preserve_system": False}),
        ),
        Trial(
            policy="agent-framework-tool-calls",
            function="tool_calls",
            settings=({"keep_last_tool_call_groups": 0}, {"keep_last_tool_call_groups": 1}, {"keep_last_tool_call_groups": 2}),
        ),
        Trial(
            policy="agent-framework-tool-results",
            function="tool_results",
            settings=({"keep_last_tool_call_groups": 0}, {"keep_last_tool_call_groups": 1}, {"keep_last_tool_call_groups": 2}),
        ),
        Trial(
            policy="agent-framework-context-window",
            function="context_window",
            settings=(
                {},
                {"max_output": 0, "keep_last_tool_call_groups": 1},
                {"tool_eviction_threshold": 0.3, "truncation_threshold": 0.4, "keep_last_tool_call_groups": 0, "preserve_first_user_group": True},
            ),
        ),
        Trial(
            policy="agent-framework-composed",
            function="composed",
            settings=(
                {"steps": ["tool_results", "sliding_window"], "keep_last_groups": 4},
                {"steps": ["tool_calls"], "keep_last_tool_call_groups": 0},
                {
                    "steps": ["tool_results", "tool_calls", "sliding_window"],
                    "keep_last_tool_call_groups": 2,
                    "keep_last_groups": 3,
                    "early_stop": False,
                },
                {"steps": []},
            ),
        ),
        Trial(
            policy="agent-framework-summarization",
            function="summarization",
            settings=(
                WITHOUT_TEXT,
                {**WITHOUT_TEXT, "target_count": 1, "threshold": 0},
                {**WITHOUT_TEXT, "target_count": 6, "threshold": 3},
            ),
            differences=("The summarizer takes any number of groups at once: its input depends on a form of text that is not rebuilt.",),
        ),
    ),
)

STRANDS = Upstream(
    driver="strands",
    requirements="strands",
    trials=(
        Trial(
            policy="strands-sliding-window",
            function="sliding_window",
            settings=(
                {},
                {"window_size": 4},
                {"window_size": 3, "per_turn": 1, "should_truncate_results": False},
                {"window_size": 6, "per_turn": 2, "pin_first": 1},
                {"window_size": 5, "pin_first": 2, "proactive_compression": 0.7},
                {"window_size": 0},
            ),
            differences=(
                JOINED,
                OUTSIDE,
                "A request over the budget stands for the provider's overflow error, as long as it is over.",
                "A turn ends before the next message that a person wrote, so not before an empty one.",
            ),
        ),
        Trial(
            policy="strands-summarizing",
            function="summarizing",
            settings=(
                {**WITHOUT_TEXT, "preserve_recent_messages": 2},
                {**WITHOUT_TEXT, "preserve_recent_messages": 4, "summary_ratio": 0.8},
                {**WITHOUT_TEXT, "preserve_recent_messages": 0, "summary_ratio": 0.5, "proactive_compression": 0.7},
            ),
            differences=(JOINED, OUTSIDE, "A request over the budget stands for the provider's overflow error, as long as it is over."),
        ),
    ),
)

OPENAI_AGENTS = Upstream(
    driver="openai_agents",
    requirements="openai_agents",
    trials=(
        Trial(
            policy="agents-tool-output-trimmer",
            function="trimmer",
            settings=(
                {},
                {"recent_turns": 1, "max_output_chars": 120, "preview_chars": 20},
                {"recent_turns": 1, "max_output_chars": 60, "preview_chars": 0, "trimmable_tools": ["grep", "run"]},
            ),
            differences=("Outputs are texts on both sides; one recorded as a list of blocks is taken as their text.",),
        ),
    ),
)

UPSTREAMS: tuple[Upstream, ...] = (
    LANGCHAIN,
    LLAMA_INDEX,
    PYDANTIC_AI,
    AUTOGEN,
    GOOGLE_ADK,
    SEMANTIC_KERNEL,
    AGENT_FRAMEWORK,
    STRANDS,
    OPENAI_AGENTS,
)
"""Every package that is compared."""

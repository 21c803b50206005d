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

UPSTREAMS: tuple[Upstream, ...] = (
    LANGCHAIN,
    LLAMA_INDEX,
    PYDANTIC_AI,
)
"""Every package that is compared."""

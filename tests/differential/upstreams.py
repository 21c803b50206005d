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
                {"keep": 0, "clear_tool_inputs": True, "placeholder": "gone"},
                {"keep": 1, "clear_at_least": 600, "exclude_tools": ["grep", "run"]},
                {"keep": 2, "clear_at_least": 300, "clear_tool_inputs": True},
                {"keep": 0, "clear_at_least": 100_000, "exclude_tools": ["search"]},
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

UPSTREAMS: tuple[Upstream, ...] = (
    LANGCHAIN,
    LLAMA_INDEX,
)
"""Every package that is compared."""

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
    """Script in ``drivers``, without its ending."""
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
                {"include_system": True, "start_on": "human"},
                {"include_system": False, "start_on": "ai"},
                {"include_system": True, "start_on": "tool"},
            ),
        ),
    ),
)

UPSTREAMS: tuple[Upstream, ...] = (LANGCHAIN,)
"""Every package that is compared."""

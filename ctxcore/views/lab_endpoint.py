"""Whether and how a page may ask a real model.

Whoever can type an address makes the server send requests to it, also to machines that only the server reaches. So this is off unless the server was
started for one person on their own machine, or its operator switches it on.
"""

from __future__ import annotations

from collections.abc import Mapping

from ctxcore.errors import InputError
from ctxcore.runtime.endpoint import OpenAICompatibleModel

VARIABLE = "CTXSCOPE_ENDPOINTS"
"""Environment variable: ``1`` lets pages ask endpoints, anything else does not."""

TIMEOUT_S = 120.0
"""For one answer."""


def endpoints_allowed(environment: Mapping[str, str]) -> bool:
    """True if pages may ask endpoints."""
    return environment.get(VARIABLE) == "1"


def endpoint_model(environment: Mapping[str, str], *, model: str, base_url: str, api_key: str) -> OpenAICompatibleModel:
    """A model behind an endpoint that a visitor named.

    A key of the environment goes to the address of the environment only, never to one that was typed.

    Args:
        environment: Of the server.
        model: Name as the endpoint knows it.
        base_url: As typed; empty is that of the environment, or OpenAI's own.
        api_key: As typed.

    Raises:
        InputError: Not allowed here, or a setting that makes no sense.
    """
    if not endpoints_allowed(environment):
        raise InputError(f"This server asks no endpoints. Its operator can allow it with {VARIABLE}=1.")
    return OpenAICompatibleModel(
        model.strip(),
        base_url=base_url.strip(),
        api_key=api_key.strip(),
        timeout_s=TIMEOUT_S,
        environment=environment,
    )

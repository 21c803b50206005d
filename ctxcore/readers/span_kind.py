"""What a span is: a model call, an agent, a tool, or none of these; and what is kept of those that are no call.

Source: format notes, 2.6 and 2.7.
"""

from __future__ import annotations

from ctxcore.readers.span_usage import usage_of
from ctxcore.readers.spans import Span
from ctxcore.readers.trace_call import TraceNode
from ctxcore.readers.values import text

MODEL_OPERATIONS = frozenset({"chat", "chat.completions", "completion", "text_completion", "generate_content", "generate", "responses"})
"""Values of ``gen_ai.operation.name`` and ``llm.request.type`` that are model calls."""

AI_SDK_CALLS = frozenset(
    {f"ai.{name}.do{verb}" for name in ("generateText", "generateObject", "streamText", "streamObject") for verb in ("Generate", "Stream")}
)
"""Operations of the AI SDK that are model calls; those without ``.do`` wrap them."""

DETAILS = "gen_ai.client.inference.operation.details"
"""Event that holds all of a call."""


def span_kind(span: Span) -> str:  # noqa: PLR0911 - one return per recorder
    """``model``, ``agent``, ``tool`` or ``other``."""
    a = span.attributes
    said = text(a.get("openinference.span.kind")).upper()
    operation = text(a.get("gen_ai.operation.name")).lower()
    if said in ("LLM", "AGENT", "TOOL"):
        return "model" if said == "LLM" else said.lower()
    if operation:
        named = {"invoke_agent": "agent", "create_agent": "agent", "execute_tool": "tool"}
        return "model" if operation in MODEL_OPERATIONS else named.get(operation, "other")
    if text(a.get("ai.operationId")) in AI_SDK_CALLS or text(a.get("llm.request.type")) in MODEL_OPERATIONS:
        return "model"
    if "pydantic_ai.all_messages" in a or "all_messages_events" in a:
        return "agent"
    for key in ("traceloop.span.kind", "span.type"):
        kind = text(a.get(key)).lower()
        if kind in ("agent", "workflow", "agentic.invocation", "agentic.turn"):
            return "agent"
        if kind in ("tool", "agentic.tool.invocation"):
            return "tool"
        if kind in ("inference", "inference.framework", "inference.modelapi"):
            return "model"
    return "model" if _holds_messages(span) else "other"


def _holds_messages(span: Span) -> bool:
    a = span.attributes
    if "gen_ai.input.messages" in a or "gen_ai.prompt.0.role" in a or "gen_ai.completion.0.role" in a:
        return True
    return any(name in ("gen_ai.choice", DETAILS) for name, _ in span.events)


def node_of(span: Span, kind: str) -> TraceNode:
    """A span that is no model call."""
    a = span.attributes
    counted = usage_of(a) or usage_of(
        {f"gen_ai.usage.{name}": a.get(f"gen_ai.aggregated_usage.{name}") for name in ("input_tokens", "output_tokens")}
    )
    result = next((a[key] for key in ("gen_ai.tool.call.result", "ai.toolCall.result", "output.value") if key in a), None)
    call_id = text(a.get("gen_ai.tool.call.id")) or text(a.get("ai.toolCall.id")) or text(a.get("tool.id"))
    name = text(a.get("gen_ai.agent.name")) or span.name
    arguments = next((a[key] for key in ("gen_ai.tool.call.arguments", "ai.toolCall.args", "input.value") if key in a), None)
    times = (span.start, span.end)
    return TraceNode(
        span.id, span.trace, span.parent, name, kind, *times, counted, call_id, result, arguments, records=span.log_records + (not span.is_log_only)
    )

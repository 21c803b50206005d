"""What the span of a model call says: its messages, reply, tools, model and usage.

Recorders disagree on where content stands; the first place that has some counts, in this order: ``gen_ai.input.messages`` and its kin,
the span event that holds the same, an event for each message, numbered ``gen_ai.prompt`` attributes, other frameworks' own attributes.
Source: format notes, 2.6 (order of places) and 2.7.
"""

from __future__ import annotations

from collections.abc import Mapping

from ctxcore.model import Json
from ctxcore.readers.indexed import Indexed, openinference_messages, openinference_tools, prompt_messages, request_functions
from ctxcore.readers.part_forms import decoded
from ctxcore.readers.payload import Request, definitions, reply_in, request_in
from ctxcore.readers.span_kind import DETAILS
from ctxcore.readers.span_usage import usage_of
from ctxcore.readers.spans import Span
from ctxcore.readers.trace_call import TraceCall
from ctxcore.readers.values import items, mapping, text, tool_list

INPUT_KEYS = (
    "gen_ai.prompt",
    "ai.prompt.messages",
    "ai.prompt",
    "gcp.vertex.agent.llm_request",
    "traceloop.entity.input",
    "mlflow.spanInputs",
    "genkit:input",
    "langfuse.observation.input",
    "lk.chat_ctx",
    "input.value",
)
"""Where frameworks keep the input of a call as one value."""

OUTPUT_KEYS = (
    "gen_ai.completion",
    "gcp.vertex.agent.llm_response",
    "traceloop.entity.output",
    "mlflow.spanOutputs",
    "genkit:output",
    "langfuse.observation.output",
    "lk.response.text",
    "output.value",
)
"""Where frameworks keep the output of a call as one value."""

TOOL_KEYS = ("gen_ai.tool.definitions", "gen_ai.request.tools", "ai.prompt.tools", "tools")
"""Where tool definitions stand as one value."""

EVENT_ROLES = {"system": "system", "user": "user", "assistant": "assistant", "tool": "tool", "developer": "developer"}


def call_of(span: Span) -> TraceCall:
    """A span that is a model call."""
    a = {**_metadata(span), **span.attributes}
    call = TraceCall(span.id, span.trace, span.parent, span.source, span.start, span.end, scope=span.scope, lost=span.dropped)
    call.model = first_text(a, "gen_ai.response.model", "ai.response.model", "llm.model_name", "gen_ai.request.model", "ai.model.id", "entity.2.name")
    call.id = first_text(a, "gen_ai.response.id", "ai.response.id")
    call.session = first_text(a, "gen_ai.conversation.id", "session.id", "scope.agentic.session", "langfuse.session.id")
    call.usage = usage_of(a)
    call.flags = ("failed",) if span.failed else ()
    call.records = span.log_records + (not span.is_log_only)
    _fill(call, span, a)
    return call


def _metadata(span: Span) -> Mapping[str, Json]:
    """Counts that stand in an event (monocle)."""
    return next((content for name, content in span.events if name == "metadata"), {})


def first_text(attributes: Mapping[str, Json], *names: str) -> str:
    """The first of these attributes that holds text, else empty."""
    return next((text(attributes[name]) for name in names if text(attributes.get(name))), "")


def _fill(call: TraceCall, span: Span, a: Mapping[str, Json]) -> None:
    """Messages, reply and tools from the first place that has them."""
    details = next((content for name, content in span.events if name == DETAILS), {})
    request = _new_attributes(a) or _new_attributes(details) or _from_events(span)
    if request is None:
        request = _numbered(call, a) or _one_value(span, a)
    elif request.messages and call.lost:
        call.flags = (*call.flags, "attributes_lost")
    if request is not None:
        call.messages = request.messages
    call.tools = tools_of(a) or tools_of(details) or (request.tools if request is not None else None)
    call.reply = _reply(span, a, details)
    call.id = call.id or _answer_id(a)


def _new_attributes(a: Mapping[str, Json]) -> Request | None:
    """``gen_ai.input.messages`` with ``gen_ai.system_instructions`` in front, which some recorders give as a message too."""
    given = decoded(a.get("gen_ai.input.messages"))
    found = request_in(given if isinstance(given, list) else None)
    if found is None:
        return None
    front = decoded(a.get("gen_ai.system_instructions"))
    if front and not (found.messages and mapping(found.messages[0]).get("role") in ("system", "developer")):
        parts = (
            front
            if isinstance(front, list)
            else [{"type": "text", "content": front if isinstance(front, str) else text(mapping(front).get("content"))}]
        )
        return Request([{"role": "system", "parts": parts}, *found.messages])
    return found


def _from_events(span: Span) -> Request | None:
    """An event or a log record for each message."""
    messages: list[Json] = []
    for name, content in (*span.events, *_listed_events(span)):
        role = EVENT_ROLES.get(name.removeprefix("gen_ai.").removesuffix(".message"))
        if role and name.endswith(".message") and name.startswith("gen_ai."):
            messages.append(_event_message(role, content))
        elif name == "gen_ai.content.prompt" and (found := request_in(content.get("gen_ai.prompt"))):
            return found
    return Request(messages) if messages else None


def _listed_events(span: Span) -> list[tuple[str, Mapping[str, Json]]]:
    """Events that stand in one attribute as a list (Logfire)."""
    listed = decoded(span.attributes.get("events"))
    return [(text(mapping(entry).get("event.name")), mapping(entry)) for entry in items(listed)]


def _event_message(role: str, content: Mapping[str, Json]) -> Json:
    """The body of an event as a message; its id is that of the call it answers."""
    body = {key: item for key, item in content.items() if not key.startswith(("gen_ai.", "event.")) and key != "id"}
    if role == "tool" and content.get("id"):
        body["tool_call_id"] = content["id"]
    return {"role": text(body.pop("role", "")) or role, **{key: decoded(item) if key == "tool_calls" else item for key, item in body.items()}}


def _numbered(call: TraceCall, a: Mapping[str, Json]) -> Request | None:
    """Numbered attributes; where the recorder left some out, what is left and where it begins."""
    given = openinference_messages(a, "llm.input_messages.")
    if not given.messages:
        given = prompt_messages(a, "gen_ai.prompt.")
    if not given.messages:
        return None
    whole_input = request_in(a["input.value"]) if text(a.get("input.mime_type")) == "application/json" and "input.value" in a else None
    if whole_input is not None and len(whole_input.messages) >= max(given.messages) + 1 and mapping(decoded(a["input.value"])).get("messages"):
        return whole_input
    _note_loss(call, given)
    return Request(list(given.messages.values()))


def _note_loss(call: TraceCall, given: Indexed) -> None:
    call.first = min(given.messages)
    gaps = len(given.messages) <= max(given.messages) - call.first
    call.parts_of_first = given.incomplete or (call.lost > 0 and call.first > 0)
    if call.first or given.incomplete or gaps or call.lost:
        call.rebuilt = bool(call.first or given.incomplete or gaps)
        call.flags = (*call.flags, "attributes_lost")


def _one_value(span: Span, a: Mapping[str, Json]) -> Request | None:
    """The input as one value, under a framework's own key or in an event ``data.input`` (monocle)."""
    for key in INPUT_KEYS:
        if a.get(key) and (found := request_in(a[key])):
            return found
    for name, content in span.events:
        if name == "data.input" and content.get("input"):
            return request_in(content["input"])
    return None


def _reply(span: Span, a: Mapping[str, Json], details: Mapping[str, Json]) -> Json | None:
    for holder in (a, details):
        if holder.get("gen_ai.output.messages"):
            return reply_in(holder["gen_ai.output.messages"])
    for name, content in (*span.events, *_listed_events(span)):
        if name == "gen_ai.choice":
            return reply_in(mapping(decoded(content.get("message"))) or {"role": "assistant", **content})
        if name == "gen_ai.content.completion":
            return reply_in(content.get("gen_ai.completion"))
        if name == "data.output":
            return reply_in(content.get("response"))
    answered = openinference_messages(a, "llm.output_messages.").messages or prompt_messages(a, "gen_ai.completion.").messages
    whole_output = reply_in(a["output.value"]) if text(a.get("output.mime_type")) == "application/json" and "output.value" in a else None
    if answered:
        first = answered[min(answered)]
        return whole_output if whole_output is not None and mapping(first).get("tool_calls") and not mapping(first)["tool_calls"][0]["id"] else first
    return _ai_sdk_reply(a) or next((found for key in OUTPUT_KEYS if a.get(key) and (found := reply_in(a[key])) is not None), None)


def _answer_id(a: Mapping[str, Json]) -> str:
    """The provider's id in an output that is its whole response."""
    answer = mapping(decoded(a.get("output.value")))
    return text(answer.get("id")) if "choices" in answer or "content" in answer else ""


def _ai_sdk_reply(a: Mapping[str, Json]) -> Json | None:
    calls = decoded(a.get("ai.response.toolCalls"))
    if a.get("ai.response.text") or calls:
        return reply_in({"text": a.get("ai.response.text"), "toolCalls": calls})
    return reply_in(a["ai.response.object"]) if a.get("ai.response.object") else None


def tools_of(a: Mapping[str, Json]) -> list[Json] | None:
    """Tool definitions in attributes, or None."""
    for key in TOOL_KEYS:
        if a.get(key) and (found := definitions(a[key])):
            return found
    listed = openinference_tools(a) or request_functions(a)
    if listed:
        return list(listed.values()) if min(listed) == 0 else None  # the first were lost: those of the call before stand for them
    for key in ("llm.invocation_parameters", "model_request_parameters"):
        parameters = mapping(decoded(a.get(key)))
        if found := [tool for key in ("tools", "function_tools", "output_tools") for tool in tool_list(parameters.get(key)) or ()]:
            return found
    return None

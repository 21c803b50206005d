"""google-adk."""

import json

from chat import serve, stateless
from google.adk.models.llm_request import LlmRequest
from google.adk.plugins.context_filter_plugin import ContextFilterPlugin
from google.genai import types
from joined import entries, with_system
from waiting import finished


def content_of(chats):
    """One content of a chat message, or of several results."""
    first = chats[0]
    if first["role"] == "tool":
        answers = [types.FunctionResponse(id=c["tool_call_id"], name="tool", response={"result": c["content"]}) for c in chats]
        return types.Content(role="user", parts=[types.Part(function_response=answer) for answer in answers])
    calls = [
        types.FunctionCall(id=c["id"], name=c["function"]["name"], args=json.loads(c["function"]["arguments"])) for c in first.get("tool_calls", ())
    ]
    texts = [types.Part(text=first["content"])] if first["content"] else []
    role = "model" if first["role"] == "assistant" else "user"
    return types.Content(role=role, parts=[*texts, *(types.Part(function_call=call) for call in calls)])


def context_filter(chats, limit, job):
    groups = entries(chats)
    request = LlmRequest(contents=[content_of([chats[index] for index in group]) for group in groups])
    home = {id(content): group for content, group in zip(request.contents, groups, strict=True)}
    finished(ContextFilterPlugin(**job["settings"]).before_model_callback(callback_context=None, llm_request=request))
    return with_system(chats, {index: chats[index] for content in request.contents for index in home[id(content)]})


if __name__ == "__main__":
    serve({"context_filter": stateless(context_filter)})

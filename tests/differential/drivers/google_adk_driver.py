"""google-adk."""

import json
from types import SimpleNamespace

from chat import outcome, serve, size, stateless
from google.adk.apps import compaction
from google.adk.apps._configs import EventsCompactionConfig
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions, EventCompaction
from google.adk.flows.llm_flows.context._compaction import _process_compaction_events
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


class Session(SimpleNamespace):
    """Events of a session, and the service that keeps them."""

    async def append_event(self, *, session, event):
        self.events.append(event)


class Summarizer:
    """Writes summaries that have no size."""

    async def maybe_summarize_events(self, *, events):
        start, end = min(event.timestamp for event in events), max(event.timestamp for event in events)
        content = types.Content(role="model", parts=[types.Part(text="A summary.")])
        covers = EventCompaction(start_timestamp=start, end_timestamp=end, compacted_content=content)
        return Event(author="user", actions=EventActions(compaction=covers))


class Run:
    """An agent's session as messages come and calls are made; a prompt is counted as the other side counts it."""

    def __init__(self, job):
        self.job, self.chats = job, job["messages"]
        self.session = Session(id="one", events=[])
        self.home, self.taken, self.threshold = {}, 0, job["settings"].get("token_threshold", job["budget"])
        self.raw, self.prompt, self.invocation = set(), None, "first"
        compaction._estimate_prompt_token_count = lambda **_: self.talk()

    def left(self):
        """Groups of the events that a prompt is made of, in order."""
        return [self.home[event.timestamp] for event in _process_compaction_events(self.session.events) if event.id in self.raw]

    def talk(self):
        return sum(size(self.chats[index]) for group in self.left() for index in group)

    def compact(self):
        config = EventsCompactionConfig.model_construct(
            token_threshold=self.threshold,
            event_retention_size=self.job["settings"]["event_retention_size"],
            summarizer=Summarizer(),
            compaction_interval=None,
            overlap_size=None,
        )
        finished(
            compaction._run_compaction_for_token_threshold_config(
                config=config, session=self.session, session_service=self.session, agent=None, agent_name=""
            )
        )

    def call(self, length, fixed):
        groups = entries(self.chats[:length])
        for number in range(self.taken, len(groups)):
            self.take(groups, number)
        self.taken = len(groups)
        self.compact()
        system = sum(size(chat) for chat in self.chats[:length] if chat["role"] in ("system", "developer"))
        self.prompt = fixed + system + self.talk()
        return with_system(self.chats[:length], {index: self.chats[index] for group in self.left() for index in group})

    def take(self, groups, number):
        """Before a user's message the invocation before it is over. A reply brings the count of its prompt."""
        chats = [self.chats[index] for index in groups[number]]
        if chats[0]["role"] == "user":
            self.compact()
            self.invocation = f"invocation {number}"
        usage = None
        if chats[0]["role"] == "assistant" and self.prompt is not None:
            usage, self.prompt = types.GenerateContentResponseUsageMetadata(prompt_token_count=self.prompt), None
        event = Event(
            author="user" if chats[0]["role"] == "user" else "agent",
            content=content_of(chats),
            timestamp=float(number + 1),
            invocation_id=self.invocation,
            usage_metadata=usage,
        )
        event.id = f"event {number}"
        self.raw.add(event.id)
        self.home[event.timestamp] = groups[number]
        self.session.events.append(event)


def token_compaction(job):
    run = Run(job)
    return [outcome(job, run.call(length, fixed)) for length, fixed in job["calls"]]


if __name__ == "__main__":
    serve({"context_filter": stateless(context_filter), "token_compaction": token_compaction})

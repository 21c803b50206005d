"""pydantic-ai-harness. System texts are instructions and stand outside the list; all that stands between two replies is one request."""

import asyncio

from chat import outcome, serve, size
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import ModelRequestContext, ModelRequestParameters
from pydantic_ai.models.test import TestModel
from pydantic_ai.tools import RunContext
from pydantic_ai.usage import RunUsage
from pydantic_ai_harness.compaction import (
    ClampOversizedMessages,
    ClearToolResults,
    DeduplicateFileReads,
    SlidingWindowCompaction,
    SummarizingCompaction,
    TieredCompaction,
    _shared,
    _tiered_compaction,
)


class Run:
    """The list of one run, grown call by call and edited by a strategy; sizes are those of the chat form."""

    def __init__(self, job):
        self.chats = job["messages"]
        self.sizes = [size(chat) for chat in self.chats]
        self.names = {call["id"]: call["function"]["name"] for chat in self.chats for call in chat.get("tool_calls", ())}
        self.original = {}
        self.messages = []
        self.done = 0
        self.fixed = 0
        model = TestModel()
        self.context = RunContext(deps=None, model=model, usage=RunUsage(), messages=self.messages, run_id="run")
        self.request = lambda: ModelRequestContext(
            model=model, messages=self.messages, model_settings=None, model_request_parameters=ModelRequestParameters()
        )

    def grow(self, length, fixed):
        """Take in new messages."""
        for index in range(self.done, length):
            chat = self.chats[index]
            if chat["role"] == "assistant":
                self.messages.append(ModelResponse(parts=self._reply(chat), metadata={"at": [index]}))
            elif chat["role"] not in ("system", "developer"):
                part = self._part(index, chat)
                if self.messages and isinstance(self.messages[-1], ModelRequest):
                    last = self.messages[-1]
                    self.messages[-1] = ModelRequest(parts=[*last.parts, part], metadata={"at": [*last.metadata["at"], index]})
                else:
                    self.messages.append(ModelRequest(parts=[part], metadata={"at": [index]}))
        self.done = length
        system = [chat for chat in self.chats[:length] if chat["role"] in ("system", "developer")]
        self.fixed = fixed + sum(map(size, system))

    def _reply(self, chat):
        parts = [TextPart(chat["content"])] if chat["content"] else []
        parts += [ToolCallPart(c["function"]["name"], c["function"]["arguments"], c["id"]) for c in chat.get("tool_calls", ())]
        return self._keep(parts or [TextPart("")])

    def _part(self, index, chat):
        if chat["role"] == "tool":
            part = ToolReturnPart(self.names.get(chat["tool_call_id"], ""), chat["content"], chat["tool_call_id"], metadata={"index": index})
        else:
            part = UserPromptPart(chat["content"])
        return self._keep([part])[0]

    def _keep(self, parts):
        self.original.update({id(part): part for part in parts})
        return parts

    def back(self, message):
        """Pairs of index and chat form; none for a summary."""
        if "at" not in (message.metadata or {}):
            return []
        if isinstance(message, ModelResponse):
            return [(message.metadata["at"][0], self._reply_back(message))]
        return [(index, self._part_back(index, part)) for index, part in zip(message.metadata["at"], message.parts, strict=True)]

    def _part_back(self, index, part):
        chat = self.chats[index]
        return chat if id(part) in self.original else {**chat, "content": part.content}

    def _reply_back(self, message):
        chat = self.chats[message.metadata["at"][0]]
        if all(id(part) in self.original for part in message.parts):
            return chat
        texts = [part.content for part in message.parts if isinstance(part, TextPart)]
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        changed = {**chat, "content": texts[0] if texts else chat["content"]}
        if calls:
            changed["tool_calls"] = [
                {**old, "function": {**old["function"], "arguments": part.args_as_json_str()}}
                for old, part in zip(chat["tool_calls"], calls, strict=True)
            ]
        return changed

    def size(self, message):
        return sum(self.sizes[index] if chat is self.chats[index] else size(chat) for index, chat in self.back(message))

    def sent(self, job, length):
        system = [(index, chat) for index, chat in enumerate(self.chats[:length]) if chat["role"] in ("system", "developer")]
        said = [pair for message in self.messages for pair in self.back(message)]
        return outcome(job, sorted([*system, *said], key=lambda pair: pair[0]))


def strategy(make):
    """A driver function: the strategy acts before every request, and what it edits stays."""

    def run_job(job):
        return asyncio.run(whole_run(job))

    async def whole_run(job):
        run = Run(job)
        _shared._collect_text = _shared._collect_message_text = list
        _shared.estimate_context_tokens = _tiered_compaction.estimate_context_tokens = lambda messages, *_, **__: (
            run.fixed + sum(map(run.size, messages))
        )
        acting = make(job["budget"], run.size, dict(job["settings"]))
        found = []
        for length, fixed in job["calls"]:
            run.grow(length, fixed)
            await acting.before_model_request(run.context, run.request())
            found.append(run.sent(job, length))
        return found

    return run_job


def window(budget, counter, settings):
    return SlidingWindowCompaction(max_tokens=budget, tokenizer=counter, **settings)


def clear(budget, counter, settings):
    if "exclude_tools" in settings:
        settings["exclude_tools"] = frozenset(settings["exclude_tools"])
    return ClearToolResults(max_tokens=budget, tokenizer=counter, **settings)


def read_key(settings):
    tools, names = settings.pop("tools"), settings.pop("path_arguments")

    def key(call):
        arguments = call.args_as_dict()
        found = next((arguments[name] for name in names if name in arguments), None)
        return found if call.tool_name in tools and isinstance(found, str) else None

    return key


def deduplicate(budget, counter, settings):
    return DeduplicateFileReads(file_key=read_key(settings), tokenizer=counter, **settings)


def clamp(budget, counter, settings):
    return ClampOversizedMessages(**settings)


def tiers(budget, counter, settings):
    key, placeholder = read_key(settings), settings["placeholder"]
    made = {
        "clamp": ClampOversizedMessages(**{name: settings[name] for name in ("max_part_chars", "keep_head_chars", "keep_tail_chars")}),
        "deduplicate": DeduplicateFileReads(file_key=key, placeholder=placeholder),
        "clear": ClearToolResults(max_tokens=1, keep_pairs=settings["keep_pairs"], placeholder=placeholder),
        "window": SlidingWindowCompaction(max_messages=1, keep_messages=settings["keep_messages"]),
    }
    return TieredCompaction(tiers=[made[name] for name in settings["tiers"]], target_tokens=budget, tokenizer=counter)


def summarize(budget, counter, settings):
    settings = {name: value for name, value in settings.items() if name not in ("summary", "ratio")}
    return SummarizingCompaction(model=TestModel(custom_output_text="A summary."), max_tokens=budget, tokenizer=counter, **settings)


if __name__ == "__main__":
    kinds = {"window": window, "clear": clear, "deduplicate": deduplicate, "clamp": clamp, "tiers": tiers, "summarize": summarize}
    serve({name: strategy(make) for name, make in kinds.items()})

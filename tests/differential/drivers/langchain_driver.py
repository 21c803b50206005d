"""langchain-core, langchain and langmem."""

import importlib.util
import json
import sys
import time
from pathlib import Path

from chat import outcome, serve, size, stateless
from langchain.agents.middleware.context_editing import ClearToolUsesEdit
from langchain.agents.middleware.summarization import SummarizationMiddleware
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage, trim_messages

KINDS = {"system": SystemMessage, "developer": SystemMessage, "user": HumanMessage}


def message_of(index, chat):
    """A LangChain message whose id is its place."""
    content = chat["content"] or ""
    if chat["role"] == "tool":
        return ToolMessage(content, tool_call_id=chat["tool_call_id"], id=str(index))
    if chat["role"] == "assistant":
        calls = [{"id": c["id"], "name": c["function"]["name"], "args": json.loads(c["function"]["arguments"])} for c in chat.get("tool_calls", ())]
        return AIMessage(content, tool_calls=calls, id=str(index))
    return KINDS[chat["role"]](content, id=str(index))


MADE = {}
"""Messages of the job in hand: id of the chat message → it, its size and the LangChain message."""


class Chats:
    """Messages back in chat form, and their sizes; they are made once for all calls of a job."""

    def __init__(self, originals):
        if not originals or id(originals[0]) not in MADE:
            MADE.clear()
        self.originals = originals
        for index, chat in enumerate(originals):
            if id(chat) not in MADE:
                MADE[id(chat)] = (chat, size(chat), message_of(index, chat))
        found = [MADE[id(chat)] for chat in originals]
        self.sizes = [one for _, one, _ in found]
        self.made = [one for _, _, one in found]
        self.ids = {message.id for message in self.made}

    def back(self, message):
        original = self.originals[int(message.id)]
        if message is self.made[int(message.id)]:
            return original
        chat = dict(original)
        if message.content or chat["content"] is not None:
            chat["content"] = message.content
        for number, call in enumerate(getattr(message, "tool_calls", ())):
            if not call["args"]:
                chat["tool_calls"] = list(chat["tool_calls"])
                old = chat["tool_calls"][number]
                chat["tool_calls"][number] = {**old, "function": {**old["function"], "arguments": "{}"}}
        return chat

    def count(self, messages):
        return sum(self.sizes[int(m.id)] if m is self.made[int(m.id)] else size(self.back(m)) for m in messages)

    def count_made(self, messages):
        """Messages of others, such as summaries, count nothing."""
        return self.count([m for m in messages if m.id in self.ids])

    def pairs(self, messages):
        return [(int(m.id), self.back(m)) for m in messages]


def trim(messages, limit, job):
    chats = Chats(messages)
    options = {key: value for key, value in job["settings"].items() if value != []}
    return chats.pairs(trim_messages(chats.made, max_tokens=limit, token_counter=chats.count, **options))


def trim_before_each_call(job):
    """For the benchmark: milliseconds of trimming a growing list before each call, and the indexes kept; messages and sizes are made beforehand."""
    chats = Chats(job["messages"])
    size_of = dict(zip(map(id, chats.made), chats.sizes, strict=True))
    start = time.perf_counter()
    kept = [
        trim_messages(
            chats.made[:length], max_tokens=job["budget"] - fixed, token_counter=lambda ms: sum(size_of[id(m)] for m in ms), **job["settings"]
        )
        for length, fixed in job["calls"]
    ]
    spent = (time.perf_counter() - start) * 1000
    return {"ms": spent, "kept": [[int(m.id) for m in call] for call in kept]}


def clear_tool_uses(messages, limit, job):
    chats = Chats(messages)
    edited = list(chats.made)
    settings = dict(job["settings"])
    settings["keep"] = settings.pop("keep_results", 3)
    ClearToolUsesEdit(trigger=limit, **settings).apply(edited, count_tokens=chats.count)
    return chats.pairs(edited)


def summarize(job):
    """The middleware over a growing list; its summary has no size, and system texts stand outside."""
    chats = Chats(job["messages"])
    settings = job["settings"]
    keep = ("tokens", settings["keep_tokens"]) if "keep_tokens" in settings else ("messages", settings.get("keep_messages", 20))
    kept, done, found = [], 0, []
    for length, fixed in job["calls"]:
        system = [m for m in chats.made[:length] if isinstance(m, SystemMessage)]
        kept += [m for m in chats.made[done:length] if not isinstance(m, SystemMessage)]
        done = length
        limit = max(job["budget"] - fixed - chats.count(system), 1)
        trigger = [("tokens", limit), *([("messages", settings["trigger_messages"])] if "trigger_messages" in settings else [])]
        middleware = SummarizationMiddleware(FakeListChatModel(responses=["A summary."]), trigger=trigger, keep=keep, token_counter=chats.count_made)
        middleware._partial_token_counter = chats.count_made
        update = middleware.before_model({"messages": kept}, None)
        if update is not None:
            kept = update["messages"][1:]
        said = [m for m in kept if m.id in chats.ids]
        found.append(outcome(job, sorted(chats.pairs([*system, *said]), key=lambda pair: pair[0])))
    return found


def langmem():
    """The module of the rule alone; the package itself imports much that is not installed."""
    folder = Path(importlib.util.find_spec("langmem").submodule_search_locations[0])
    spec = importlib.util.spec_from_file_location("langmem_summarization", folder / "short_term" / "summarization.py")
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def running_summary(job):
    """A summary without a size over a growing list."""
    chats, module = Chats(job["messages"]), langmem()
    settings = {name: value for name, value in job["settings"].items() if name not in ("summary", "ratio")}
    model, state, found = FakeListChatModel(responses=["A summary."]), None, []
    for length, fixed in job["calls"]:
        try:
            result = module.summarize_messages(
                chats.made[:length],
                running_summary=state,
                model=model,
                max_tokens=job["budget"] - fixed,
                token_counter=chats.count_made,
                **settings,
            )
        except ValueError:
            found.append(None)
            continue
        state = result.running_summary or state
        found.append(outcome(job, chats.pairs([m for m in result.messages if m.id in chats.ids])))
    return found


if __name__ == "__main__":
    stand_alone = {"trim_messages": stateless(trim), "clear_tool_uses": stateless(clear_tool_uses)}
    serve(stand_alone | {"summarize": summarize, "running_summary": running_summary, "trim_before_each_call": trim_before_each_call})

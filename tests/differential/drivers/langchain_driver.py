"""langchain-core and langchain."""

import json
import time

from chat import serve, size, stateless
from langchain.agents.middleware.context_editing import ClearToolUsesEdit
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


class Chats:
    """Messages back in chat form, and their sizes."""

    def __init__(self, originals):
        self.originals = originals
        self.sizes = [size(message) for message in originals]
        self.made = [message_of(index, chat) for index, chat in enumerate(originals)]

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


if __name__ == "__main__":
    serve({"trim_messages": stateless(trim), "clear_tool_uses": stateless(clear_tool_uses), "trim_before_each_call": trim_before_each_call})

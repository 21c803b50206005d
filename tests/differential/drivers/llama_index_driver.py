"""llama-index-core. The memories hold no system text: an agent puts it in front."""

import asyncio

from chat import outcome, serve, size
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms import MockLLM
from llama_index.core.memory import ChatMemoryBuffer, ChatSummaryMemoryBuffer, Memory


class Counted:
    """Sizes of messages by the index that each carries."""

    def __init__(self, messages):
        self.sizes = [size(message) for message in messages]
        self.made = [message_of(index, chat) for index, chat in enumerate(messages)]

    def count(self, messages):
        return sum(self.sizes[one.additional_kwargs["index"]] for one in messages)


def message_of(index, chat):
    kwargs = {"index": index} | ({"tool_calls": chat["tool_calls"]} if "tool_calls" in chat else {})
    return ChatMessage(role="system" if chat["role"] == "developer" else chat["role"], content=chat["content"] or "", additional_kwargs=kwargs)


def sent(job, length, kept):
    """System texts, and those that the memory gave, in their order."""
    system = [index for index in range(length) if job["messages"][index]["role"] in ("system", "developer")]
    indexes = sorted(system + [one.additional_kwargs["index"] for one in kept])
    return outcome(job, [(index, job["messages"][index]) for index in indexes])


def parts(counted, start, stop):
    """System texts and others of a stretch."""
    stretch = counted.made[start:stop]
    return [one for one in stretch if one.role == "system"], [one for one in stretch if one.role != "system"]


def buffer(job):
    counted = Counted(job["messages"])

    class Buffer(ChatMemoryBuffer):
        def _token_count_for_messages(self, messages):
            return counted.count(messages)

    found = []
    for length, fixed in job["calls"]:
        system, said = parts(counted, 0, length)
        limit = job["budget"] - fixed
        if counted.count(system) > limit:  # the real one raises
            found.append(sent(job, length, said[-1:]))
            continue
        memory = Buffer.from_defaults(chat_history=said, token_limit=limit, tokenizer_fn=list)
        found.append(sent(job, length, memory.get(initial_token_count=counted.count(system))))
    return found


class Shelf:
    """The store of a memory as a list, with the few methods that the memory calls."""

    def __init__(self):
        self.active = []

    async def get_messages(self, key, status=None, **_):
        return list(self.active)

    async def add_message(self, key, message, status=None):
        self.active.append(message)

    async def archive_oldest_messages(self, key, n):
        gone, self.active = self.active[:n], self.active[n:]
        return gone


def memory(job):
    return asyncio.run(_memory(job))


async def _memory(job):
    counted = Counted(job["messages"])

    class Queue(Memory):
        def _estimate_token_count(self, message):
            return counted.count([message] if isinstance(message, ChatMessage) else message)

    queue, done, found = None, 0, []
    shelf = Shelf()
    for length, fixed in job["calls"]:
        system, _ = parts(counted, 0, length)
        limit = max(job["budget"] - fixed - counted.count(system), 1)
        queue = Queue.from_defaults(token_limit=limit, tokenizer_fn=list, session_id="one", **job["settings"])
        queue.sql_store = shelf
        for message in parts(counted, done, length)[1]:
            await queue.aput(message)
        done = length
        found.append(sent(job, length, await queue.aget()))
    return found


def summary_buffer(job):
    """The memory over a growing list; its summary has no size."""
    counted = Counted(job["messages"])

    class Buffer(ChatSummaryMemoryBuffer):
        def _token_count_for_messages(self, messages):
            return counted.count([one for one in messages if "index" in one.additional_kwargs])

        def _summarize_oldest_chat_history(self, chat_history_to_be_summarized):
            return ChatMessage(role="system", content="A summary.")

    memory, done, found = None, 0, []
    for length, fixed in job["calls"]:
        system, _ = parts(counted, 0, length)
        limit = job["budget"] - fixed - counted.count(system)
        before = memory.get_all() if memory else []
        memory = Buffer.from_defaults(llm=MockLLM(), token_limit=max(limit, 1), tokenizer_fn=list)
        memory.token_limit = max(limit, 0)
        memory.set([*before, *parts(counted, done, length)[1]])
        done = length
        found.append(sent(job, length, [one for one in memory.get() if "index" in one.additional_kwargs]))
    return found


if __name__ == "__main__":
    serve({"buffer": buffer, "memory": memory, "summary_buffer": summary_buffer})

"""agent-framework-core."""

import json
from types import SimpleNamespace

from agent_framework import Content, Message
from agent_framework._compaction import (
    ContextWindowCompactionStrategy,
    SelectiveToolCallCompactionStrategy,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    apply_compaction,
)
from chat import outcome, serve, size
from waiting import finished

KEEP = "keep_last_tool_call_groups"


def message_of(index, chat):
    """A message whose id is its place."""
    contents = [Content.from_text(chat["content"])] if chat["content"] else []
    if chat["role"] == "tool":
        contents = [Content.from_function_result(chat["tool_call_id"], result=chat["content"])]
    contents += [Content.from_function_call(c["id"], c["function"]["name"], arguments=c["function"]["arguments"]) for c in chat.get("tool_calls", ())]
    return Message(role=chat["role"], contents=contents, message_id=str(index))


class Counter:
    """Counts a message as the other side does: by its place, or as the line that it is."""

    def __init__(self, sizes):
        self.sizes = sizes

    def count_tokens(self, text):
        message = json.loads(text)
        if message["message_id"].startswith("summary_"):
            return 0
        if message["message_id"].isdigit():
            return self.sizes[int(message["message_id"])]
        return size({"role": message["role"], "content": message["contents"][0]["text"]})


def truncation(settings, room, budget, counter):
    counting = "max_messages" in settings
    most = settings["max_messages"] if counting else max(1, settings.get("max_size", room))
    least = settings.get("compact_to_messages" if counting else "compact_to", most // 2)
    options = {key: settings[key] for key in ("preserve_system", "preserve_first_user_group") if key in settings}
    return TruncationStrategy(max_n=most, compact_to=max(1, min(least, most)), tokenizer=None if counting else counter, **options)


def composed(settings, room, budget, counter):
    kept = settings.get(KEEP, 1)
    steps = {
        "tool_results": ToolResultCompactionStrategy(keep_last_tool_call_groups=kept),
        "tool_calls": SelectiveToolCallCompactionStrategy(keep_last_tool_call_groups=kept),
        "sliding_window": SlidingWindowStrategy(keep_last_groups=settings.get("keep_last_groups", 20)),
    }
    return TokenBudgetComposedStrategy(
        token_budget=room, tokenizer=counter, strategies=[steps[word] for word in settings["steps"]], early_stop=settings.get("early_stop", True)
    )


def context_window(settings, room, budget, counter):
    reserve = settings.get("max_output", budget // 8)
    options = {key: value for key, value in settings.items() if key != "max_output"}
    return ContextWindowCompactionStrategy(max_context_window_tokens=max(room, reserve + 8), max_output_tokens=reserve, tokenizer=counter, **options)


class Client:
    """Writes summaries that have no size."""

    async def get_response(self, messages, *, stream):
        return SimpleNamespace(text="A summary.")


def summarization(settings, room, budget, counter):
    options = {name: value for name, value in settings.items() if name not in ("summary", "ratio")}
    return SummarizationStrategy(client=Client(), max_summary_input_tokens=None, **options)


def simple(kind):
    return lambda settings, room, budget, counter: kind(**settings)


def marked(make):
    """A driver function for a strategy that marks what is out in the messages themselves."""
    return lambda job: finished(compacted(job, make))


async def compacted(job, make):
    chats = job["messages"]
    counter = Counter([size(chat) for chat in chats])
    found, messages, done = [], [], 0
    for length, fixed in job["calls"]:
        messages += [message_of(index, chats[index]) for index in range(done, length)]
        done = length
        strategy = make(job["settings"], job["budget"] - fixed, job["budget"], counter)
        kept = await apply_compaction(messages, strategy=strategy, tokenizer=counter)
        found.append(outcome(job, [back(chats, message) for message in kept if not (message.message_id or "").startswith("summary_")]))
    return found


def back(chats, message):
    if message.message_id.isdigit():
        return int(message.message_id), chats[int(message.message_id)]
    return None, {"role": message.role, "content": message.text}


if __name__ == "__main__":
    makers = {
        "truncation": truncation,
        "sliding_window": simple(SlidingWindowStrategy),
        "tool_calls": simple(SelectiveToolCallCompactionStrategy),
        "tool_results": simple(ToolResultCompactionStrategy),
        "context_window": context_window,
        "composed": composed,
        "summarization": summarization,
    }
    serve({name: marked(make) for name, make in makers.items()})

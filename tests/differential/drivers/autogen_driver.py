"""autogen-core."""

from autogen_core import FunctionCall
from autogen_core.model_context import BufferedChatCompletionContext, HeadAndTailChatCompletionContext, TokenLimitedChatCompletionContext
from autogen_core.models import AssistantMessage, FunctionExecutionResult, FunctionExecutionResultMessage, UserMessage
from chat import serve, size, stateless
from joined import entries, with_system
from waiting import finished


def message_of(chats):
    """One AutoGen message of a chat message, or of several results."""
    first = chats[0]
    if first["role"] == "tool":
        results = [FunctionExecutionResult(content=c["content"], name="tool", call_id=c["tool_call_id"], is_error=False) for c in chats]
        return FunctionExecutionResultMessage(content=results)
    if first["role"] == "assistant":
        calls = [FunctionCall(id=c["id"], name=c["function"]["name"], arguments=c["function"]["arguments"]) for c in first.get("tool_calls", ())]
        return AssistantMessage(content=calls or first["content"] or "", source="agent", thought=first["content"] if calls else None)
    return UserMessage(content=first["content"], source="user")


def kept_by(chats, make):
    """What a context that ``make`` builds of sizes gives of a list."""
    groups = entries(chats)
    made = [message_of([chats[index] for index in group]) for group in groups]
    home = {id(message): group for message, group in zip(made, groups, strict=True)}
    sizes = {id(message): sum(size(chats[index]) for index in group) for message, group in zip(made, groups, strict=True)}
    context = make(sizes)
    context._messages = made
    found = finished(context.get_messages())
    kept = {index: chats[index] for message in found for index in home.get(id(message), ())}
    notices = [place for place, message in enumerate(found) if id(message) not in home]
    if not notices:
        return with_system(chats, kept)
    behind = found[notices[0] + 1 :]
    return with_system(chats, kept, {"role": "user", "content": found[notices[0]].content}, home[id(behind[0])][0] if behind else None)


def buffered(chats, limit, job):
    return kept_by(chats, lambda _: BufferedChatCompletionContext(**job["settings"]))


def head_and_tail(chats, limit, job):
    return kept_by(chats, lambda _: HeadAndTailChatCompletionContext(**job["settings"]))


class Counter:
    """Stands where a model client would count."""

    def __init__(self, sizes):
        self.sizes = sizes

    def count_tokens(self, messages, *, tools):
        return sum(self.sizes[id(message)] for message in messages)


def token_limited(chats, limit, job):
    room = limit - sum(size(chat) for chat in chats if chat["role"] in ("system", "developer"))
    return kept_by(chats, lambda sizes: TokenLimitedChatCompletionContext(Counter(sizes), token_limit=max(1, room)))


if __name__ == "__main__":
    serve(
        {name: stateless(function) for name, function in (("buffered", buffered), ("head_and_tail", head_and_tail), ("token_limited", token_limited))}
    )

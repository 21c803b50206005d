"""semantic-kernel."""

from chat import outcome, serve
from semantic_kernel.contents import AuthorRole, ChatMessageContent, FunctionCallContent, FunctionResultContent, TextContent
from semantic_kernel.contents.history_reducer.chat_history_truncation_reducer import ChatHistoryTruncationReducer
from waiting import finished


def content_of(chat):
    """A message of Semantic Kernel."""
    items = [TextContent(text=chat["content"])] if chat["content"] else []
    if chat["role"] == "tool":
        items = [FunctionResultContent(id=chat["tool_call_id"], name="tool", result=chat["content"])]
    items += [FunctionCallContent(id=c["id"], name=c["function"]["name"], arguments=c["function"]["arguments"]) for c in chat.get("tool_calls", ())]
    return ChatMessageContent(role=AuthorRole(chat["role"]), items=items)


def truncation(job):
    """The reducer runs before each call on what it left the call before."""
    return finished(reduced(job))


async def reduced(job):
    made = [content_of(chat) for chat in job["messages"]]
    home = {id(message): index for index, message in enumerate(made)}
    found, done, reducer = [], 0, ChatHistoryTruncationReducer(**job["settings"])
    for length, _ in job["calls"]:
        if length < done:
            done, reducer = 0, ChatHistoryTruncationReducer(**job["settings"])
        reducer.messages = [*reducer.messages, *made[done:length]]
        done = length
        await reducer.reduce()
        found.append(outcome(job, [(home[id(message)], job["messages"][home[id(message)]]) for message in reducer.messages]))
    return found


if __name__ == "__main__":
    serve({"truncation": truncation})

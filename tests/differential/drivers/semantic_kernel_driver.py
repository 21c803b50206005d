"""semantic-kernel."""

from chat import outcome, serve
from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.contents import AuthorRole, ChatMessageContent, FunctionCallContent, FunctionResultContent, TextContent
from semantic_kernel.contents.history_reducer.chat_history_summarization_reducer import ChatHistorySummarizationReducer
from semantic_kernel.contents.history_reducer.chat_history_truncation_reducer import ChatHistoryTruncationReducer
from waiting import finished


def content_of(chat):
    """A message of Semantic Kernel."""
    items = [TextContent(text=chat["content"])] if chat["content"] else []
    if chat["role"] == "tool":
        items = [FunctionResultContent(id=chat["tool_call_id"], name="tool", result=chat["content"])]
    items += [FunctionCallContent(id=c["id"], name=c["function"]["name"], arguments=c["function"]["arguments"]) for c in chat.get("tool_calls", ())]
    return ChatMessageContent(role=AuthorRole(chat["role"]), items=items)


class Summary(ChatHistorySummarizationReducer):
    """Its summaries have no size."""

    async def _summarize(self, messages):
        return ChatMessageContent(role=AuthorRole.ASSISTANT, content="A summary.")


def truncation(job):
    """The reducer runs before each call on what it left the call before."""
    return finished(reduced(job, lambda: ChatHistoryTruncationReducer(**job["settings"])))


def summarization(job):
    settings = {name: value for name, value in job["settings"].items() if name not in ("summary", "ratio")}
    return finished(reduced(job, lambda: Summary(service=ChatCompletionClientBase(ai_model_id="none"), **settings)))


async def reduced(job, make):
    made = [content_of(chat) for chat in job["messages"]]
    home = {id(message): index for index, message in enumerate(made)}
    found, done, reducer = [], 0, make()
    for length, _ in job["calls"]:
        if length < done:
            done, reducer = 0, make()
        reducer.messages = [*reducer.messages, *made[done:length]]
        done = length
        await reducer.reduce()
        kept = [home[id(message)] for message in reducer.messages if id(message) in home]
        found.append(outcome(job, [(index, job["messages"][index]) for index in kept]))
    return found


if __name__ == "__main__":
    serve({"truncation": truncation, "summarization": summarization})

"""openai-agents."""

from agents.extensions.tool_output_trimmer import ToolOutputTrimmer
from agents.run_config import CallModelData, ModelInputData
from chat import serve, stateless


def items_of(index, chat):
    """Items of the Responses API, each with the index of its message."""
    if chat["role"] == "tool":
        return [(index, {"type": "function_call_output", "call_id": chat["tool_call_id"], "output": chat["content"]})]
    text = [(index, {"role": chat["role"], "content": chat["content"]})] if chat["content"] or chat["role"] != "assistant" else []
    calls = [
        (index, {"type": "function_call", "call_id": c["id"], "name": c["function"]["name"], "arguments": c["function"]["arguments"]})
        for c in chat.get("tool_calls", ())
    ]
    return text + calls


def trimmer(chats, limit, job):
    settings = {key: value for key, value in job["settings"].items() if value != []}
    items = [pair for index, chat in enumerate(chats) for pair in items_of(index, chat)]
    data = CallModelData(model_data=ModelInputData(input=[item for _, item in items], instructions=None), agent=None, context=None)
    sent = ToolOutputTrimmer(**settings)(data).input
    outputs = {index: item["output"] for (index, _), item in zip(items, sent, strict=True) if "output" in item}
    return [(index, {**chat, "content": outputs[index]} if index in outputs else chat) for index, chat in enumerate(chats)]


if __name__ == "__main__":
    serve({"trimmer": stateless(trimmer)})

"""Threads that policies are tried on: the project's own samples in several request forms."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from ctxcore import read_session
from ctxcore.model import Thread

FOLDER = Path(__file__).parents[2] / "sample_sessions"

SAMPLES = ("coding-agent.jsonl", "travel-desk-zh.jsonl", "anthropic-thinking", "responses", "parallel", "gemini")


@cache
def sample_thread(name: str) -> Thread:
    """The main thread of a sample."""
    if (FOLDER / name).exists():
        return read_session(FOLDER / name).threads[0]
    request = {"anthropic-thinking": anthropic_request, "responses": responses_request, "parallel": parallel_request, "gemini": gemini_request}[
        name
    ]()
    return read_session(json.dumps(request).encode(), f"{name}.json").threads[0]


def anthropic_request(turns: int = 12) -> dict[str, Any]:
    """Signed thinking, two results in one user message, one of them as blocks, and a text beside the results."""
    messages: list[dict[str, Any]] = []
    for turn in range(turns):
        messages.append({"role": "user", "content": f"Task {turn}: compare the two files of directory {turn} ‘{'引' * turn}’."})
        for step in range(2):
            ids = [f"toolu_{turn}_{step}_{n}" for n in range(2)]
            messages.append(
                {
                    "role": "assistant",
                    "content": [
                        {"type": "thinking", "thinking": f"Read both files of {turn}, then step {step}.\n" * 4, "signature": "c2ln" * 40},
                        {"type": "text", "text": "I read both."},
                        *({"type": "tool_use", "id": i, "name": "read_file", "input": {"path": f"src/{turn}/{i}.py", "limit": 40}} for i in ids),
                    ],
                }
            )
            results = [
                {"type": "tool_result", "tool_use_id": ids[0], "content": [{"type": "text", "text": f'def f_{turn}():\n\treturn "{step}"\n' * 12}]},
                {"type": "tool_result", "tool_use_id": ids[1], "content": f"value_{turn} = {step}\n" * 25},
            ]
            messages.append({"role": "user", "content": results})
        messages.append({"role": "assistant", "content": [{"type": "text", "text": f"Directory {turn}: the files differ in line 2."}]})
    return {"model": "claude-sonnet-4-5", "max_tokens": 1000, "system": "You compare files.", "messages": messages}


def responses_request(turns: int = 10) -> dict[str, Any]:
    """Items of the Responses API: reasoning, function calls and their outputs."""
    items: list[dict[str, Any]] = []
    for turn in range(turns):
        items.append({"role": "user", "content": [{"type": "input_text", "text": f"Sum column {turn} of the ledger."}]})
        items.append(
            {
                "type": "reasoning",
                "id": f"rs_{turn}",
                "summary": [{"type": "summary_text", "text": f"Need column {turn}."}],
                "encrypted_content": "Z" * 200,
            }
        )
        items.append(
            {"type": "function_call", "call_id": f"call_{turn}", "name": "read_column", "arguments": json.dumps({"column": turn, "sheet": "合计"})}
        )
        items.append({"type": "function_call_output", "call_id": f"call_{turn}", "output": "\n".join(f"{n};{n * turn}" for n in range(80))})
        items.append({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": f"Column {turn} sums to {turn * 3160}."}]})
    return {"model": "gpt-5", "instructions": "You add numbers.", "input": items}


def parallel_request(turns: int = 14) -> dict[str, Any]:
    """Chat messages with three calls at a time, results in another order, and a system message in the middle."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You look things up."}]
    for turn in range(turns):
        messages.append({"role": "user", "content": f"Look up the words of lesson {turn}, never guess."})
        calls = [
            {
                "id": f"c{turn}_{n}",
                "type": "function",
                "function": {"name": ("look_up", "grep", "read")[n], "arguments": json.dumps({"word": f"w{turn}{n}"})},
            }
            for n in range(3)
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [{"role": "tool", "tool_call_id": f"c{turn}_{n}", "content": f"meaning {turn}.{n} 意思 " * (10 + 7 * n)} for n in (2, 0, 1)]
        messages.append({"role": "assistant", "content": f"Lesson {turn} has three words: a{turn}, b{turn}, c{turn}."})
        if turn == 5:
            messages.append({"role": "system", "content": "From now on answer in one line."})
    return {
        "model": "gpt-4o",
        "messages": messages,
        "tools": [{"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}],
    }


def gemini_request(turns: int = 12) -> dict[str, Any]:
    """Contents of the Gemini API: a thought, a call and its response as objects."""
    contents: list[dict[str, Any]] = []
    for turn in range(turns):
        contents.append({"role": "user", "parts": [{"text": f"Count the lines of file {turn} ‘{'行' * turn}’."}]})
        call = {"name": "read_file", "args": {"path": f"src/{turn}.py"}}
        contents.append({"role": "model", "parts": [{"text": f"File {turn} comes next.", "thought": True}, {"functionCall": call}]})
        response = {"name": "read_file", "response": {"output": f"line {turn}\n" * 40, "truncated": False}}
        contents.append({"role": "user", "parts": [{"functionResponse": response}]})
        contents.append({"role": "model", "parts": [{"text": f"File {turn} has forty lines."}]})
    return {"model": "gemini-2.5-pro", "systemInstruction": {"parts": [{"text": "You count."}]}, "contents": contents}

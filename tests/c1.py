"""The counter of the cases: code points of text, reasoning, tool names, arguments as recorded and results; nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


class C1:
    """A size that needs no tokenizer; a counter of one's own as ``unit`` takes it."""

    unit = "C1"

    def size(self, message: Mapping[str, Any]) -> int:
        """Images, ids, roles and signatures count nothing."""
        total = self._content(message.get("content")) + self._content(message.get("output"))
        total += len(message.get("reasoning_content") or "")
        for call in (*(message.get("tool_calls") or ()), {"function": message.get("function_call")}):
            function = call.get("function") or {}
            total += len(function.get("name") or "") + self._arguments(function.get("arguments"))
        if message.get("type") == "function_call":
            total += len(message["name"]) + self._arguments(message["arguments"])
        return total

    def tools_size(self, tools: Sequence[Any]) -> int:
        """Characters of their JSON as Python writes it."""
        return len(json.dumps(tools, ensure_ascii=False))

    def _content(self, content: Any) -> int:
        if isinstance(content, str):
            return len(content)
        return sum(self._part(part) for part in content or ())

    def _part(self, part: Mapping[str, Any]) -> int:
        kind = part.get("type")
        if kind == "tool_use":
            return len(part["name"]) + self._arguments(part["input"])
        if kind == "tool_result":
            return self._content(part.get("content"))
        return len(part.get("text") or "") + len(part.get("thinking") or "")

    def _arguments(self, arguments: Any) -> int:
        if arguments is None:
            return 0
        return len(arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False))

"""Values that a tool call sets by name: the scalar arguments of calls whose name begins with set, update, book and the like.

Only what stands in the arguments is shown. Arguments that are ids say what the other values belong to. Tools of plans and tasks are left to the plan.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import ClassVar

from ctxcore.model import Json
from ctxcore.state.values import Touch
from ctxcore.tool_uses import ToolUse

VERBS = frozenset(
    {"set", "update", "change", "modify", "configure", "assign", "adjust", "book", "reserve", "schedule", "reschedule", "rename", "save", "record"}
)
"""First words of tools that set values."""

VERBS_ZH = ("设置", "更新", "修改", "预订", "预定", "调整", "记录", "登记")
"""The same in Chinese."""

NOT_STATE = frozenset({"plan", "todo", "todos", "task", "tasks"})
"""Words in the names of tools whose values belong to the plan."""

NAME_KEYS = ("key", "field", "name", "parameter", "setting", "variable", "attribute", "property", "字段", "名称")
"""Arguments that name the value, where another one holds it."""

VALUE_KEYS = ("value", "new_value", "newValue", "值", "新值")
"""Arguments that hold the value."""

IDENTITY = re.compile(r"(?:^|_)(?:id|ids|uuid|number)$|[a-z]Id$|编号$")
"""Arguments that say which thing is meant."""

LONGEST = 300
"""Characters; a longer text is prose, not a value."""


class NamedValues:
    """See the module."""

    name: ClassVar[str] = "named-values"
    looks_for: ClassVar[str] = "scalar arguments of tools named set_…, update_…, change_…, book_…, save_… and the like"

    def touches(self, use: ToolUse) -> tuple[Touch, ...]:
        """See ``Extractor.touches``."""
        if not _sets(use.name):
            return ()
        arguments = use.arguments
        owner = ", ".join(f"{k}={v}" for k, v in arguments.items() if IDENTITY.search(k) and isinstance(v, (str, int)) and not isinstance(v, bool))
        scope = f"{use.name}, {owner}" if owner else use.name
        return tuple(Touch(kind="value", name=name, action="set", scope=scope, value=value) for name, value in _named(arguments))


def _sets(name: str) -> bool:
    words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[^\W\d_a-zA-Z]+", name)
    plain = [word.lower() for word in words]
    return bool(plain) and (plain[0] in VERBS or name.startswith(VERBS_ZH)) and not NOT_STATE & set(plain)


def _named(arguments: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Names and values that the arguments set."""
    key = next((arguments[k] for k in NAME_KEYS if isinstance(arguments.get(k), str)), None)
    holder = next((k for k in VALUE_KEYS if k in arguments), None)
    if key is not None and holder is not None:
        value = _scalar(arguments[holder])
        if value is not None:
            yield key, value
        return
    for name, item in arguments.items():
        if IDENTITY.search(name):
            continue
        pairs = {f"{name}.{inner}": value for inner, value in item.items()} if isinstance(item, Mapping) else {name: item}
        for path, value in pairs.items():
            text = _scalar(value)
            if text is not None:
                yield path, text


def _scalar(value: Json) -> str | None:
    """A value as recorded; None for what is no scalar, and for prose."""
    if isinstance(value, str):
        return value if value and len(value) <= LONGEST else None
    return json.dumps(value) if isinstance(value, (int, float)) else None

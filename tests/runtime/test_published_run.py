"""The published run of the whole-unit rule, by the real loop with a scripted model.

Source: the whole-unit rule, "A published run to reproduce exactly".
"""

from __future__ import annotations

import asyncio
from typing import Any

from ctxcore import BudgetedModel
from ctxcore.runtime.loop import RunResult, run_agent
from ctxcore.runtime.models import ScriptedModel
from ctxcore.runtime.tools import Tool
from ctxcore.sizes.characters import canonical_json, request_chars

SYSTEM = "fixture：上下文预算演示。"
TASK = "保留这个当前任务，读取四份合成资料。"
BUDGET = 3_700
PARAMETERS = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 20}}, "required": ["name"], "additionalProperties": False}


def asks(**names: str) -> dict[str, Any]:
    calls = [
        {"id": call_id, "type": "function", "function": {"name": "read_fixture", "arguments": canonical_json({"name": name})}}
        for call_id, name in names.items()
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


REPLIES = (
    asks(call_1_0="one", call_1_1="two"),
    asks(call_2_0="three"),
    asks(call_3_0="four"),
    {"role": "assistant", "content": "fixture 完成"},
)


def published_run() -> tuple[BudgetedModel, ScriptedModel, RunResult, list[str]]:
    read: list[str] = []

    def read_fixture(name: str) -> dict[str, str]:
        read.append(name)
        return {"name": name, "synthetic_data": "资料" * 480}

    tool = Tool(name="read_fixture", description="Return bounded synthetic fixture evidence.", parameters=PARAMETERS, function=read_fixture)
    script = ScriptedModel(REPLIES)
    model = BudgetedModel(script, max_characters=BUDGET, required_task=TASK)
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": TASK}]
    return model, script, asyncio.run(run_agent(model, messages, [tool])), read


def test_the_published_run_is_reproduced() -> None:
    model, _, result, read = published_run()
    assert (result.status, result.text) == ("complete", "fixture 完成")
    assert read == ["one", "two", "three", "four"]
    assert model.calls == result.calls == 4
    assert [r.before for r in model.reports] == [367, 2802, 4049, 5294]
    assert [r.after for r in model.reports] == [367, 2802, 1774, 3019]
    assert [r.dropped_exchanges for r in model.reports] == [0, 0, 1, 1]
    assert {r.limit for r in model.reports} == {BUDGET}


def test_what_reached_the_model_has_the_reported_size() -> None:
    model, script, _, _ = published_run()
    assert [request_chars(r.messages, r.tools) for r in script.requests] == [r.after for r in model.reports]
    notice = "Context controller omitted 3 historical messages as whole units. Re-read evidence if needed; omission is not proof of completion."
    assert script.requests[2].messages[0] == {"role": "system", "content": notice}

"""The published run of the whole-unit rule as a scenario, with places where a tool can fail or hang.

Source: the whole-unit rule, "A published run to reproduce exactly".
"""

from __future__ import annotations

from ctxcore.runtime.scenario.form import ConversationScenario, Fault, Say, ScriptedTool, Turn

SYSTEM = "fixture：上下文预算演示。"
TASK = "保留这个当前任务，读取四份合成资料。"
BUDGET_CHARS = 3_700
NAMES = ("one", "two", "three", "four")
PARAMETERS = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 20}}, "required": ["name"], "additionalProperties": False}
TOOL = "read_fixture"

HANGS_S = 2.0
"""Seconds after which a hanging tool is given up."""


def _asks(**names: str) -> Say:
    return Say(calls=tuple(f'{TOOL} {{"name":"{name}"}}' for name in names.values()), ids=tuple(names))


SAID = (_asks(call_1_0="one", call_1_1="two"), _asks(call_2_0="three"), _asks(call_3_0="four"), Say(text="fixture 完成"))


def published() -> ConversationScenario:
    """The run; without switches every request has the published size."""
    return ConversationScenario(
        kind="conversation",
        system=SYSTEM,
        turn=(Turn(user=TASK, say=SAID),),
        tool=(
            ScriptedTool(
                name=TOOL,
                description="Return bounded synthetic fixture evidence.",
                parameters=PARAMETERS,
                results=tuple({"name": name, "synthetic_data": "资料" * 480} for name in NAMES),
            ),
        ),
        budget=BUDGET_CHARS,
        fault=(Fault(when="failure", tool=TOOL, call=3, error="The fixture cannot be read."), Fault(when="timeout", tool=TOOL, call=4)),
        tool_s=HANGS_S,
    )

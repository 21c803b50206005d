"""The runs that can be started live."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ctxcore.runtime.demo.published import published
from ctxcore.runtime.scenario.form import Remembered, Scenario, Switch, read_scenario

FOLDER = Path(__file__).resolve().parent / "lab"


def night_line() -> Scenario:
    """A planner finds out why a night bus is late."""
    return read_scenario(FOLDER / "night-line.toml")


LABS: Mapping[str, Callable[[], Scenario]] = {"published": published, "night-line": night_line}
"""By name; each is made anew."""

REMEMBERED = Remembered(
    core={"回答语言": "中文"},
    extended={"合成资料": "一共四份，名称是 one、two、three、four"},
    episodes=("上次读取四份合成资料用了四次请求。",),
    limit=2,
)
"""For a run whose scenario brings no memory of its own."""


def possible(name: str) -> tuple[Switch, ...]:
    """The switches that a run provides for, in order.

    Args:
        name: Of ``LABS``.
    """
    scenario = LABS[name]()
    known: tuple[Switch, ...] = ("failure", "timeout")
    found = [switch for switch in known if any(fault.when == switch for fault in scenario.fault)]
    return (*found, "checkpoint") if scenario.kind == "plan" else tuple(found)


def configured(name: str, *, budget: int, policy: str, switches: Iterable[Switch], memory: bool, pace_s: float, model: str = "") -> Scenario:
    """A run as somebody wants it.

    Args:
        name: Of ``LABS``.
        budget: Characters.
        policy: Name of one.
        switches: What is injected, of what is possible.
        memory: Begin with a memory.
        pace_s: Before every scripted reply.
        model: Name in the record; the scenario's own if left out.
    """
    scenario = LABS[name]()
    wanted = {
        "budget": budget,
        "policy": policy,
        "switches": tuple(switch for switch in possible(name) if switch in set(switches)),
        "memory": (scenario.memory or REMEMBERED) if memory else None,
        "pace_s": pace_s,
        "model": model or scenario.model,
    }
    return scenario.model_copy(update=wanted)

"""Lost references and lives of units for people: what a call would have missed, where it stood, and what became of one unit."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ctxcore.counted import count
from ctxcore.measures.biography import Biography
from ctxcore.measures.references import References
from ctxcore.replay import DROPPED, EDITED
from ctxcore.views.tables import Fact
from ctxcore.views.visible import shortened
from ctxcore.views.words import number

VALUE_CHARS = 80
"""Characters of a value that a table shows."""

BOUND = "Lost references are a lower bound on harm: what stays is not thereby understood."


def lost_sentence(found: References, call: int) -> str:
    """What a call would miss.

    Args:
        found: Of a replay.
        call: Index of the call.
    """
    uses, lost = int(found.uses_per_call[call]), int(found.per_call[call])
    parts = [f"The reply of this call uses {count(uses, 'value')} that its recorded context held; {number(lost)} of them would be gone."]
    parts.append(f"Over all calls {count(found.total_first, 'value')} would be gone at first use.")
    return " ".join([*parts, BOUND])


def lost_frame(found: References, call: int | None) -> pd.DataFrame:
    """Lost references one by one: the value, where it stood, why it went and from which call it was known.

    Args:
        found: Of a replay.
        call: Only of this call; None for all.
    """
    columns = ["call", "value", "type", "first use", "message", "unit", "age", "rule"]
    rows = [
        {
            "call": one.call,
            "value": shortened(one.atom.value, VALUE_CHARS),
            "type": one.atom.type,
            "first use": "yes" if one.first else "again",
            "message": one.message,
            "unit": one.unit,
            "age": one.age,
            "rule": one.rule,
        }
        for one in found.listed(call)
    ]
    return pd.DataFrame(rows, columns=columns)


def worst_calls(found: References, most: int = 10) -> pd.DataFrame:
    """Calls with most lost references, most first."""
    order = np.argsort(-found.per_call, kind="stable")[:most]
    order = order[found.per_call[order] > 0]
    columns = {"lost": found.per_call, "at first use": found.first_per_call, "used": found.uses_per_call}
    return pd.DataFrame({"call": order, **{name: column[order] for name, column in columns.items()}})


def biography_facts(life: Biography, unit: str) -> tuple[Fact, ...]:
    """The life of one unit as facts.

    Args:
        life: Of the unit.
        unit: Of measure.
    """
    dropped, edited = life.first(DROPPED), life.first(EDITED)
    facts = [
        Fact(name="Born", value=f"call #{number(life.born)}"),
        Fact(name="Size", value=f"{number(life.size)} {unit}"),
        Fact(name="Carried by", value=count(life.calls, "call")),
        Fact(name="Sent in all", value=f"{number(life.billed)} {unit}"),
        Fact(name="First edited", value="never" if edited is None else f"call #{number(edited)}"),
        Fact(name="First dropped", value="never" if dropped is None else f"call #{number(dropped)}"),
        Fact(name="Asked for again", value=", ".join(f"#{number(call)}" for call in life.read_again[:6]) or "never"),
    ]
    if life.dollars is not None:
        facts.append(Fact(name="Share of the input's cost", value=f"${life.dollars.sum():,.4f}", basis="estimate"))
    return tuple(facts)

"""What the chains of a state show, in plain words."""

from __future__ import annotations

from ctxcore.counted import count
from ctxcore.state.entries import Entry, FieldChain, State
from ctxcore.views.state_fields import value_text
from ctxcore.views.visible import shortened, visible
from ctxcore.views.words import number

VALUES, NAMES, CELLS = 5, 4, 40
"""Newest values of a chain, names of fields, and width of each, that a sentence tells."""


def chains_sentence(state: State) -> str:
    """How many fields changed, which one most and how, and what never counted; of this conversation alone."""
    chains = list(state.fields.values())
    changed = [chain for chain in chains if chain.changes]
    parts = [
        f"In {count(state.rounds, 'round')} {count(len(chains), 'field')} got a value or a question.",
        _changed(changed, len(chains)),
        _most(changed),
    ]
    return " ".join(filter(None, [*parts, _back(chains), _never(chains)]))


def _changed(changed: list[FieldChain], fields: int) -> str:
    if not changed:
        return "No value changed after it was first set."
    if len(changed) == fields and fields > 1:
        return "Every one of them changed later."
    return f"{number(len(changed))} of them changed later: {_names(changed)}."


def _most(changed: list[FieldChain]) -> str:
    if not changed:
        return ""
    chain = max(changed, key=lambda one: one.changes)
    accepted = [entry for entry in chain.entries if entry.status == "accepted"]
    whose = _name(chain) if len(changed) == 1 else f"The most changes has {_name(chain)}"
    if any(isinstance(entry.value, (list, tuple)) for entry in accepted):
        return f"{whose}: {number(chain.changes)}, the last in round {number(accepted[-1].since)}."
    way = " → ".join(["…"] * (len(accepted) > VALUES) + [_value(one) for one in accepted[-VALUES:]])
    return f"{whose}: {way} (round {number(accepted[-1].since)} the last time)."


def _back(chains: list[FieldChain]) -> str:
    back = [chain for chain in chains if any(entry.why == "user_reversion" and entry.status == "accepted" for entry in chain.entries)]
    return f"Back to an earlier value went {_names(back)}." if back else ""


def _never(chains: list[FieldChain]) -> str:
    entries = [entry for chain in chains for entry in chain.entries]
    kinds = (("asked", "only asked about"), ("refused", "refused"), ("withdrawn", "taken back"))
    told = [f"{number(found)} {words}" for status, words in kinds if (found := sum(entry.status == status for entry in entries))]
    return f"Values that do not count: {', '.join(told)}." if told else ""


def _value(entry: Entry) -> str:
    return "cleared" if entry.value is None else value_text(entry, CELLS)


def _name(chain: FieldChain) -> str:
    return shortened(visible(chain.name), CELLS)


def _names(chains: list[FieldChain]) -> str:
    names = [_name(chain) for chain in chains[:NAMES]]
    more = len(chains) - len(names)
    return ", ".join(names) + (f" and {number(more)} more" if more else "")

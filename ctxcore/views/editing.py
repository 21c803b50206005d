"""What the commands ``state`` and ``forget`` print: JSON with a versioned schema, and tables for people."""

from __future__ import annotations

from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from ctxcore.counted import count
from ctxcore.state.edit_log import item_json
from ctxcore.state.entries import Alert, Entry, FieldChain, LogEntry, Source, State
from ctxcore.state.forgetting import Forgotten
from ctxcore.views.terminal_table import Column, FittedTable
from ctxcore.views.visible import visible

Object = dict[str, Any]


def state_json(state: State) -> Object:
    """``ctxscope.state/1``: every field with its chain, oldest entry first; the current entry is the last accepted one, or null."""
    return {
        "schema": "ctxscope.state/1",
        "domain": state.domain,
        "fields": {name: _chain(chain) for name, chain in state.fields.items()},
        "alerts": [_alert(alert) for alert in state.alerts],
        "log": [_log(entry) for entry in state.log],
    }


def _chain(chain: FieldChain) -> Object:
    return {
        "current": _entry(chain.current) if chain.current else None,
        "chain": [_entry(entry) for entry in chain.entries],
        "restated": [{"round": one.round, "source": _source(one.source)} for one in chain.restated],
    }


def _entry(entry: Entry) -> Object:
    return {
        "value": entry.value,
        "round": entry.round,
        "why": entry.why,
        "source": _source(entry.source),
        "extractor": entry.extractor,
        "confidence": round(entry.confidence, 4),
        "status": entry.status,
        **({"since_round": entry.since} if entry.since != entry.round else {}),
        **({"unit": entry.unit} if entry.unit else {}),
        **({"shades": sorted(entry.shades)} if entry.shades else {}),
        **({"approximate": True} if "approximate" in entry.shades else {}),
        **({"of": entry.of} if entry.of is not None else {}),
        **({"rule": entry.rule} if entry.rule else {}),
        **({"more_sources": [_source(source) for source in entry.more]} if entry.more else {}),
    }


def _source(source: Source) -> Object:
    return {"message": source.message, "start": source.start, "end": source.end, "quote": source.quote}


def _alert(alert: Alert) -> Object:
    return {
        "code": alert.code,
        "round": alert.round,
        "text": alert.text,
        **({"field": alert.field} if alert.field else {}),
        **({"source": _source(alert.source)} if alert.source else {}),
    }


def _log(entry: LogEntry) -> Object:
    return {"round": entry.round, "message": entry.message, "items": [item_json(item) for item in entry.items]}


def state_tables(state: State) -> RenderableType:
    """Current state, chains and alerts."""
    rows: list[tuple[str, ...]] = []
    for name, chain in state.fields.items():
        now = chain.current
        earlier = " → ".join(_told(entry) for entry in chain.entries if entry is not now)
        words = (_value(now), _since(now), now.why, now.source.quote) if now else ("", "", "not set", "")
        rows.append((name, *words, earlier))
    alerts = [Text(visible(f"round {alert.round}  {alert.code}: {alert.text}")) for alert in state.alerts]
    return Group(FittedTable(title=f"State ({state.domain}), {count(state.rounds, 'round')}", columns=STATE_COLUMNS, rows=rows), *alerts)


STATE_COLUMNS = (
    Column(name="field", text=True, least=12),
    Column(name="value", text=True, least=12),
    Column(name="since round", rank=3),
    Column(name="why", text=True, rank=2),
    Column(name="words", text=True, rank=1, wraps=True),
    Column(name="earlier", text=True, rank=4, wraps=True),
)


def _since(entry: Entry) -> str:
    """Round from which a value counts, and where it was said if that is another one."""
    return str(entry.since) if entry.since == entry.round else f"{entry.since} (asked in {entry.round})"


def _told(entry: Entry) -> str:
    mark = "" if entry.status == "accepted" else f" ({entry.status})"
    return f"{_value(entry)}{mark}"


def _value(entry: Entry) -> str:
    value = (
        "—" if entry.value is None else f"{entry.value:,}" if isinstance(entry.value, int) and not isinstance(entry.value, bool) else str(entry.value)
    )
    about = "about " if "approximate" in entry.shades else ""
    unit = f" {entry.unit}" if entry.unit and isinstance(entry.value, (int, float)) else ""
    return f"{about}{value}{unit}"


def forget_json(tested: Forgotten) -> Object:
    """``ctxscope.forget/1``: what the agent did in each trial; the built-in gate stands apart."""
    return {
        "schema": "ctxscope.forget/1",
        "domain": tested.domain,
        "action": tested.action,
        "trials": tested.trials,
        "seed": tested.seed,
        "noticed": tested.noticed,
        "went_on": tested.went_on,
        "cannot_tell": tested.cannot_tell,
        "fields_per_trial": tested.taken,
        "distinct_replies": tested.replies,
        "by_field": {
            name: {"deleted": deleted, "noticed": noticed, "cannot_tell": tested.untold[name]} for name, (deleted, noticed) in tested.by_field.items()
        },
        "gate": {"refused": tested.gate_refused, "let_through": tested.trials - tested.gate_refused},
    }


def untold_words(tested: Forgotten) -> str:
    """How many trials tell nothing; empty where all do."""
    return f"; of {tested.cannot_tell} the recording cannot tell" if tested.cannot_tell else ""


def _rest(tested: Forgotten) -> str:
    """On how many different replies the trials rest; a recording gives the same one again and again."""
    kind = "recorded reply" if tested.reasons else "different reply"
    return f"They rest on {count(tested.replies, kind, kind.replace('reply', 'replies'))}."


def forget_tables(tested: Forgotten) -> RenderableType:
    """Noticed and not, by field."""
    columns = (Column(name="field deleted", text=True), Column(name="times"), Column(name="noticed"), Column(name="cannot tell"))
    rows = [(name, str(deleted), str(noticed), str(tested.untold[name])) for name, (deleted, noticed) in tested.by_field.items()]
    table = FittedTable(title=f"Forgetting test of {tested.action} ({tested.domain}), seed {tested.seed}", columns=columns, rows=rows)
    lines = [
        f"{tested.noticed} of {tested.trials} trials noticed, {tested.went_on} went on{untold_words(tested)}. {_rest(tested)}",
        f"Each trial took {count(tested.taken, 'field')} away, never all {count(len(tested.by_field), 'core field')}.",
        f"The built-in gate refuses the action in {tested.gate_refused} of them.",
        *(f"{name}: {reason}" for name, reason in tested.reasons.items()),
        *(f"{name}: the action does not need it" for name in tested.by_field if tested.reasons and name not in tested.reasons),
    ]
    return Group(table, *(Text(visible(line)) for line in lines))

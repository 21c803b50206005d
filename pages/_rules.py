"""Widgets for the policy, its settings, the unit of measure and what is kept whatever the policy says; draw them outside fragments."""

from __future__ import annotations

import streamlit as st
from _controls import TYPED, show
from _visit import Visit, go, link

from ctxcore.counted import count
from ctxcore.errors import InputError
from ctxcore.keep import Keep
from ctxcore.model import Thread
from ctxcore.policies import Parameter, Policy, all_policies, make_policy
from ctxcore.views.link import UNITS
from ctxcore.views.policies import policy_label
from ctxcore.views.settings import changed_settings, keep_query, parameters_of, read_keep, read_settings, setting_text, setting_value, settings_query
from ctxcore.views.visible import visible
from ctxcore.views.words import UNIT_WORDS, literal

WRONG = "rule_complaints"
"""Key in the session state: sentences about settings that do not fit, by name."""

MOST_TOOLS = 200
"""Names of tools offered."""


def rule_controls(visit: Visit) -> None:
    """Selects for the policy and the unit of measure, and two boxes: settings, and what is kept.

    Args:
        visit: As it stands.
    """
    show("policy_select", visit.policy)
    show("unit_select", visit.unit)
    names = [kind.name for kind in all_policies()]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox("Policy", names, key="policy_select", format_func=policy_label, on_change=_chose_policy, width=340)
        st.selectbox("Count in", UNITS, key="unit_select", format_func=UNIT_WORDS.__getitem__, on_change=_chose_unit, width=180)
        _settings(visit)
        _keeping(visit)
    for complaint in st.session_state.get(WRONG, {}).values():
        st.error(literal(f"{complaint} The last setting that fits is used."))


def _chose_policy() -> None:
    st.session_state.pop(WRONG, None)
    go(policy=st.session_state["policy_select"], settings="")


def _chose_unit() -> None:
    st.session_state.pop(TYPED, None)
    go(unit=st.session_state["unit_select"], budget="default")


def _kind(policy: str) -> type[Policy]:
    return next(kind for kind in all_policies() if kind.name == policy)


def _settings(visit: Visit) -> None:
    kind, values = _kind(visit.policy), visit.values()
    label = f"Settings, {len(values):,} changed" if values else "About and settings" if kind.parameters else "About"
    with st.popover(label, icon=":material/tune:"):
        st.markdown(literal(kind.about))
        st.caption(literal(f"Source: {kind.source} What a provider would refuse, or what is lost: {kind.rejects}"))
        for parameter in kind.parameters:
            _setting(visit.policy, parameter, values.get(parameter.name, parameter.default))
        st.caption("A policy of your own is a Python file that you name when you start: ctxscope open --plugin mine.py. It is never uploaded.")


def _setting(policy: str, parameter: Parameter, value: object) -> None:
    key = f"set_{policy}_{parameter.name}"
    told = literal(parameter.help)
    label = parameter.name.replace("_", " ")
    if parameter.type == "bool":
        show(key, bool(value))
        st.toggle(label, key=key, help=told, on_change=_set, args=(policy, parameter.name))
        return
    if parameter.name not in st.session_state.get(WRONG, {}):
        show(key, setting_text(value))
    st.text_input(
        label, key=key, help=told, placeholder="the rule's own" if parameter.default is None else None, on_change=_set, args=(policy, parameter.name)
    )


def _set(policy: str, name: str) -> None:
    """Take a setting if the policy takes it; else say why not."""
    typed = st.session_state[f"set_{policy}_{name}"]
    kind = next(p.type for p in parameters_of(policy) if p.name == name)
    complaints = st.session_state.setdefault(WRONG, {})
    try:
        value = typed if isinstance(typed, bool) else setting_value(name, typed.strip(), kind)
        wanted = read_settings(policy, link().settings) | {name: value}
        make_policy(policy, **wanted)
    except InputError as error:
        complaints[name] = str(error)
        return
    complaints.pop(name, None)
    go(settings=settings_query(changed_settings(policy, wanted)))


def _keeping(visit: Visit) -> None:
    keep = visit.kept()
    wishes = len(keep.units) + len(keep.tools) + len(keep.texts)
    with st.popover(f"Never drop, {count(wishes, 'wish', 'wishes')}" if wishes else "Never drop", icon=":material/keep:"):
        st.caption("These units stay in every request, whatever the policy says.")
        show("keep_tools", list(keep.tools))
        show("keep_texts", "\n".join(keep.texts))
        show("keep_units", ", ".join(map(str, keep.units)))
        st.multiselect(
            "Exchanges of these tools", sorted({*_tools(visit.thread), *keep.tools}), key="keep_tools", format_func=visible, on_change=_kept
        )
        st.text_area("Messages that hold one of these texts, one a line", key="keep_texts", on_change=_kept, height=90)
        st.text_input("Units by number, as on the page Dropped units", key="keep_units", on_change=_kept)


def _tools(thread: Thread) -> tuple[str, ...]:
    """Names of the tools that the thread calls."""
    names: tuple[str, ...] = thread.once("tool_names", lambda: tuple(dict.fromkeys(c.name for m in thread.messages for c in m.calls if c.name)))
    return names[:MOST_TOOLS]


def _kept() -> None:
    texts = tuple(line.strip() for line in st.session_state["keep_texts"].splitlines() if line.strip())
    units = tuple(int(part) for part in st.session_state["keep_units"].replace("#", " ").replace(",", " ").split() if part.isdecimal())
    go(keep=keep_query(Keep(units=units, tools=tuple(st.session_state["keep_tools"]), texts=texts)))


def keep_unit(unit: int) -> None:
    """Keep one more unit, or no longer keep it; use it in a callback.

    Args:
        unit: Number in the thread's catalog.
    """
    keep = read_keep(link().keep)
    units = tuple(u for u in keep.units if u != unit) if unit in keep.units else (*keep.units, unit)
    go(keep=keep_query(Keep(units=units, tools=keep.tools, texts=keep.texts)))

"""Compare: what every policy would have done to this thread at one budget, in size, money, validity and lost evidence."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Any

import _ui
import streamlit as st
from _money import Money, firings_section, money_controls
from _visit import Visit, go

from ctxcore.counted import count
from ctxcore.measures.compare import Compared, baseline, by_merit, compared
from ctxcore.measures.finder import find_budget
from ctxcore.measures.recorded_cost import calibration, recorded_cost
from ctxcore.policies import all_policies, make_policy
from ctxcore.replay import replay
from ctxcore.views.at_call import sides_at_call
from ctxcore.views.compare_page import (
    FrontierLine,
    compare_sentence,
    compared_frame,
    differences_figure,
    differences_frame,
    frontier_budgets,
    frontier_figure,
    frontier_frame,
    money_sentence,
)
from ctxcore.views.comparing import CAVEAT
from ctxcore.views.finding import finding_sentence
from ctxcore.views.gate import Gate, gate_text
from ctxcore.views.money import recorded_sentence
from ctxcore.views.multiples import multiples_figure, scale_words
from ctxcore.views.policies import policy_label
from ctxcore.views.words import literal

ROWS, PICKED, FIRST, SECOND, LINES = "compare_rows", "compare_policies", "compare_first", "compare_second", "compare_frontier"
SMALLEST, LOOK, STOPPED, UNTRIMMED = "compare_smallest", "compare_look", "compare_stopped", "compare_untrimmed"
"""Keys in the session state."""

LOOKS = ("Table", "Small charts")
"""How policies are shown."""

KEPT = 3
"""Comparisons kept per visitor."""

SHORT_CALLS = 1_000
"""Calls up to which every policy that needs no model is compared at once; a longer thread begins with a few."""

FIRST_LOOK = (
    "whole-units",
    "whole-units-sticky",
    "none",
    "langchain-trim",
    "langchain-clear-tool-uses",
    "anthropic-clear-tool-uses",
    "opencode-prune",
    "openhands-amortized-forgetting",
    "cline-half-or-quarter",
)
"""What a longer thread begins with."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    st.title("Compare")
    if visit.call < 0:
        st.info("This thread has no model call, so there is nothing to compare. Choose another thread on the left.")
        return
    _ui.rule_controls(visit)
    st.caption("The settings chosen above hold for that policy; every other one has its own defaults.")
    explore()


@st.fragment
def explore() -> None:
    """All that moves with the budget."""
    visit = _ui.moving()
    _ui.budget_control(visit, _ui.replayed(visit))
    if not visit.budget:
        st.info("Choose a budget of at least 1: at 0 no request fits, and without a limit every policy sends everything.")
        return
    known = [kind.name for kind in all_policies()]
    exact = [kind.name for kind in all_policies() if not kind.needs_summary]
    begin = exact if len(visit.thread.calls) <= SHORT_CALLS else [name for name in FIRST_LOOK if name in exact]
    with st.expander(f"Policies compared, {len(st.session_state.get(PICKED, begin)):,} of {len(known):,}"):
        st.multiselect("Policies", known, begin, key=PICKED, format_func=policy_label, persist_state="session")
    with st.container(horizontal=True, vertical_alignment="center"):
        look = st.segmented_control("Show as", LOOKS, default=LOOKS[0], key=LOOK, label_visibility="collapsed", persist_state="session")
        money = money_controls(visit)
    rows = by_merit(_rows(visit, tuple(dict.fromkeys([*st.session_state[PICKED], visit.policy])), money))
    st.write(literal(compare_sentence(rows, _untrimmed(visit, money))))
    if look == LOOKS[1]:
        _multiples(rows)
    else:
        _table(visit, rows)
    known_cost = recorded_sentence(recorded_cost(visit.thread, money.own))
    st.caption(literal(" ".join(filter(None, (money_sentence(rows, calibration(visit.thread, money.own)), known_cost, CAVEAT)))))
    _ui.report_link()
    _pair(visit, rows)
    with st.expander(literal(f"What breaks the cache, and when a firing pays: {visit.policy}"), key="compare_money", on_change="rerun") as box:
        if box.open:
            firings_section(next(row for row in rows if row.name == visit.policy))
    _frontier(visit, rows)
    _smallest(visit)
    _gate(visit, rows)


def _smallest(visit: Visit) -> None:
    """The smallest budget at which the chosen policy loses nothing, looked for when asked."""
    st.header("Smallest budget", anchor=False)
    place = (visit.session.digest, visit.thread.id, visit.unit, visit.policy, visit.settings)
    kept_place, sentence = st.session_state.get(SMALLEST, (None, ""))
    if kept_place != place:
        if not st.button(literal(f"Find the smallest budget at which {visit.policy} refuses and loses nothing"), key="compare_find"):
            return
        with st.spinner("Trying budgets …"):
            sentence = finding_sentence(find_budget(visit.thread, visit.policy, visit.unit, **visit.values()))
        st.session_state[SMALLEST] = (place, sentence)
    st.write(literal(sentence))


def _untrimmed(visit: Visit, money: Money) -> Compared:
    """The thread with nothing trimmed; it stays whatever the budget."""
    place = (visit.session.digest, visit.thread.id, visit.unit, money.key)
    kept_place, kept = st.session_state.get(UNTRIMMED, (None, None))
    if kept is None or kept_place != place:
        kept = baseline(visit.thread, visit.unit, own=money.own, clock=money.clock).counted
        st.session_state[UNTRIMMED] = (place, kept)
    found: Compared = kept
    return found


def _multiples(rows: list[Compared]) -> None:
    """Size per call of every policy as one figure, on one scale, with the budget."""
    said = f"Size of each call under {count(len(rows), 'policy', 'policies')}; the dotted line is the budget."
    st.plotly_chart(multiples_figure(rows), key="compare_multiples", alt=said, config={"displayModeBar": False})
    st.caption(literal(f"{said} Grey is what was recorded. {scale_words(rows[0].replay.before, rows[0].replay.unit)}"))


def _rows(visit: Visit, names: tuple[str, ...], money: Money) -> list[Compared]:
    """Policies at the visit's budget; those that were computed stay for the next look, and for the next after a stop."""
    kept: OrderedDict[Any, dict[str, Compared]] = st.session_state.setdefault(ROWS, OrderedDict())
    place = (visit.session.digest, visit.thread.id, visit.budget, visit.unit, visit.keep, visit.policy, visit.settings, money.key)
    found = kept.setdefault(place, {})
    kept.move_to_end(place)
    while len(kept) > KEPT:
        kept.popitem(last=False)
    missing = [name for name in (visit.policy, *names) if name not in found]
    if st.session_state.get(STOPPED) == place and missing:
        found.setdefault(visit.policy, _row(visit, visit.policy, money))
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text(f"Stopped: {len(set(names) - found.keys()):,} of {count(len(names), 'policy', 'policies')} are left out.")
            st.button("Go on", key="compare_go_on", on_click=_stop_at, args=(None,))
    elif missing:
        box = st.empty()
        with box.container(horizontal=True, vertical_alignment="center"):
            bar = st.progress(0.0, "Comparing policies …", width="stretch")
            st.button("Stop", key="compare_stop", icon=":material/stop:", on_click=_stop_at, args=(place,))
        for number, name in enumerate(missing):
            bar.progress(number / len(missing), literal(f"{name}, {number + 1:,} of {len(missing):,}"))
            found[name] = _row(visit, name, money)
        box.empty()
    return [found[name] for name in names if name in found]


def _stop_at(place: Hashable) -> None:
    """Leave out what is not compared yet, at this budget and with these settings."""
    st.session_state[STOPPED] = place


def _row(visit: Visit, name: str, money: Money) -> Compared:
    policy = make_policy(name, **(visit.values() if name == visit.policy else {}))
    (row,) = compared(visit.thread, visit.budget or 1, visit.unit, [policy], keep=visit.kept(), own=money.own, clock=money.clock)
    _ = (row.cost, row.validity, row.lost)  # computed here, where the progress bar tells of it
    return row


POLICY_WIDTH, LOST_WIDTH, NUMBER_WIDTH = 134, 52, 68
"""Pixels: on a telephone of 390 a policy stands beside its money, what it loses and what it refuses."""


def _table(visit: Visit, rows: list[Compared]) -> None:
    frame = compared_frame(rows)
    localized = st.column_config.NumberColumn
    event = st.dataframe(
        frame.drop(columns="name"),
        key="compare_table",
        hide_index=True,
        height="auto",
        column_config={
            "policy": st.column_config.TextColumn("Policy", width=POLICY_WIDTH),
            "per call": st.column_config.AreaChartColumn("Size per call", y_min=0, y_max=int(rows[0].replay.before.max(initial=1)), width="medium"),
            "size": localized(f"{visit.unit.capitalize()} sent", format="localized"),
            "dollars": localized(
                "Dollars",
                format="$%.2f" if frame["dollars"].astype(float).max() >= 1 else "$%.4f",
                width=NUMBER_WIDTH,
                help="By the provider's cache rules and published prices; an estimate.",
            ),
            "lost": localized(
                "Lost", format="localized", width=LOST_WIDTH, help="References used by a reply, and only in what was removed. A lower bound on harm."
            ),
            "rejected": localized("Rejected", format="localized", width=NUMBER_WIDTH, help="Calls: the provider would refuse their form."),
            "refused": localized("Refused", format="localized", width=NUMBER_WIDTH, help="Calls that do not fit the budget and send nothing."),
            "worst": localized("Worst call", format="localized", help="Most lost references, else the largest."),
            "basis": st.column_config.TextColumn("Basis"),
        },
        on_select="rerun",
        selection_mode="single-row",
    )
    chosen = event["selection"]["rows"]
    if chosen:
        _open(rows[chosen[0]])


def _open(row: Compared) -> None:
    """The policy of a picked row, on the page Calls at its worst call."""
    worst = row.worst_call
    where = "no call" if worst is None else f"call #{worst:,}"
    st.button(
        literal(f"Open {row.name} at {where}"),
        key="compare_open",
        icon=":material/arrow_forward:",
        on_click=go,
        kwargs={"policy": row.name, "settings": "", "call": worst},
    )
    if st.session_state.get("compare_open") and worst is not None:
        _ui.open_call(worst)


def _pair(visit: Visit, rows: list[Compared]) -> None:
    st.header("Two policies, call by call", anchor=False)
    names = [row.name for row in rows]
    left, right = st.columns(2)
    first = left.selectbox("First", names, names.index(visit.policy), key=FIRST, format_func=policy_label, persist_state="session")
    beside = 0 if names[0] != visit.policy else min(1, len(names) - 1)
    second = right.selectbox("Second", names, beside, key=SECOND, format_func=policy_label, persist_state="session")
    pair = [next((row for row in rows if row.name == name), rows[0]) for name in dict.fromkeys((first, second))]
    one, other = pair[0].replay, pair[-1].replay
    st.write(literal(sides_at_call(pair, visit.call)))
    frame = differences_frame(one, other)
    said = f"They send {count(len(frame), 'call')} of {len(one.before):,} differently."
    st.write(literal(said))
    figure = differences_figure(one, other, (str(first), str(second)), visit.call)
    st.plotly_chart(figure, key="compare_pair", alt=said, config={"displaylogo": False})
    if len(frame):
        columns = {name: st.column_config.NumberColumn(format="localized") for name in frame.columns if name != "refused"}
        event = st.dataframe(
            frame, key="compare_calls", hide_index=True, height=280, column_config=columns, on_select="rerun", selection_mode="single-row"
        )
        if event["selection"]["rows"]:
            _ui.open_call(int(frame["call"].iloc[event["selection"]["rows"][0]]))


def _frontier(visit: Visit, rows: list[Compared]) -> None:
    st.header("Over budgets", anchor=False)
    st.caption("Each line is a policy at several budgets. Down and left is better. Hollow points have calls that are refused or rejected.")
    peak = int(rows[0].replay.before.max(initial=1))
    place = (visit.session.digest, visit.thread.id, visit.unit, visit.keep, tuple(row.name for row in rows))
    kept_place, lines = st.session_state.get(LINES, (None, []))
    if kept_place != place:
        budgets = frontier_budgets(peak)
        if not st.button(literal(f"Compute {len(budgets):,} budgets for {count(len(rows), 'policy', 'policies')}"), key="compare_compute"):
            return
        lines = _lines(visit, [row.name for row in rows], budgets)
        st.session_state[LINES] = (place, lines)
    money = any(any(value is not None for value in line.dollars) for line in lines)
    by_money = money and st.segmented_control("Against", ["size", "money"], default="money", key="compare_against") == "money"
    figure = frontier_figure(lines, money=by_money, unit=visit.unit)
    st.plotly_chart(figure, key="compare_lines", alt="Lost references against size or money, one line per policy", config={"displaylogo": False})
    with st.expander("As a table"):
        st.dataframe(frontier_frame(lines), key="compare_frontier_table", hide_index=True)


def _lines(visit: Visit, names: list[str], budgets: tuple[int, ...]) -> list[FrontierLine]:
    bar = st.progress(0.0, "Trying budgets … The button Stop at the top ends it.")
    lines: list[FrontierLine] = []
    for number, name in enumerate(names):
        bar.progress(number / len(names), literal(f"{name}, {number + 1:,} of {len(names):,}"))
        policy = make_policy(name, **(visit.values() if name == visit.policy else {}))
        points = [Compared(replay=replay(visit.thread, policy, budget, visit.unit, visit.kept())) for budget in budgets]
        lines.append(
            FrontierLine(
                name=name,
                budgets=budgets,
                sizes=tuple(point.size for point in points),
                dollars=tuple(None if point.cost is None else point.cost.total for point in points),
                lost=tuple(int(point.lost_per_call.sum()) for point in points),
                stopped=tuple(int((point.replay.refused | point.validity.rejected).sum()) for point in points),
            )
        )
    bar.empty()
    return lines


def _gate(visit: Visit, rows: list[Compared]) -> None:
    st.header("A gate for your tests", anchor=False)
    row = next(row for row in rows if row.name == visit.policy)
    limits: dict[str, float] = {
        "max_lost_references": int(row.lost_per_call.sum()),
        "max_refused_calls": row.refused_calls,
        "max_rejected_calls": row.rejected_calls,
    }
    if row.cost is not None:
        limits["max_cost_usd"] = round(row.cost.total * 1.05, 4)
    gate = Gate(policy=visit.policy, budget=visit.budget or 1, unit=visit.unit, parameters=visit.values(), limits=limits)
    st.write("Holds a recording to what this policy reaches now (money with 5 % to spare): ctxscope check session.jsonl --config policy.toml")
    st.download_button("Save policy.toml", gate_text(gate), "policy.toml", "application/toml", key="compare_gate", on_click="ignore")


main()

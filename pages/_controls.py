"""The budget as widgets. What a widget says and what the visit is are kept equal here, in both directions.

The slider and the box are never set while they stand on the page. A set value reaches the browser late: meanwhile it reports the old one, which
looks like a move of the visitor and would undo what was pressed in between. Where another value must be shown, a new widget takes the place.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import streamlit as st
from _visit import Visit, go, write_address

from ctxcore.errors import InputError
from ctxcore.replay import Replay
from ctxcore.views.budget import budget_text, default_words, parse_budget, slider_stops
from ctxcore.views.uncounted import budget_note
from ctxcore.views.words import UNIT_WORDS, literal

BOX, SLIDER, TYPED, STANDING, SHOWN, PAGE = "budget_box", "budget_slider", "budget_typed", "budget_standing", "visit_shown", "visit_page"
"""Keys in the session state."""


@dataclass(slots=True)
class Standing:
    """A widget on the page whose moves are followed."""

    key: str
    """Its name for Streamlit."""
    first: Hashable
    """What it began with."""
    last: Hashable
    """What it says, as far as the visit knows."""
    place: Hashable
    """What its choices belong to."""


def _standing() -> dict[str, Standing]:
    found: dict[str, Standing] = st.session_state.setdefault(STANDING, {})
    return found


def begin_page(page: str) -> None:
    """Start a full run; widgets of another page are new to the browser.

    Args:
        page: Its address.
    """
    if st.session_state.get(PAGE) == page:
        follow_moves()
        return
    st.session_state[PAGE] = page
    st.session_state[SHOWN] = set()
    for one in _standing().values():
        one.place = None


def follow_moves() -> None:
    """Make the visit's budget what the slider or the box says, where the visitor moved one; call it before the visit is looked at.

    Not by callbacks: the next key press cuts them off.
    """
    standing = _standing()
    for name, follow in ((SLIDER, _slid), (BOX, _typed)):
        one = standing.get(name)
        value = None if one is None or one.place is None else st.session_state.get(one.key)
        if one is not None and value is not None and value != one.last:
            follow(value)
            one.last = value


def _stand(name: str, want: Hashable, place: Hashable) -> Standing:
    """The widget that says what is wanted: the one that stands there, or a new one."""
    standing = _standing()
    one = standing.get(name)
    if one is None:
        one = standing[name] = Standing(name, want, want, place)
    lost = one.last != one.first and st.session_state.get(one.key) is None
    if one.last != want or one.place != place or lost:
        number = int(one.key.removeprefix(name).removeprefix("_") or 0) + 1
        one = standing[name] = Standing(f"{name}_{number}", want, want, place)
    return one


def _slid(value: int) -> None:
    st.session_state.pop(TYPED, None)
    go(budget=value)


def _typed(text: str) -> None:
    try:
        go(budget=parse_budget(text))
        st.session_state.pop(TYPED, None)
    except InputError as error:
        st.session_state[TYPED] = (text, str(error))


def show(key: str, value: object) -> None:
    """Put a value into a widget that is about to be drawn, unless the page shows it already."""
    shown: set[str] = st.session_state.setdefault(SHOWN, set())
    if key not in shown or st.session_state.get(key) != value:
        st.session_state[key] = value
        shown.add(key)


def budget_control(visit: Visit, replay: Replay, *, address: bool = True) -> None:
    """A slider and an exact number box for the budget; draw it inside a fragment.

    Empty is unlimited, 0 fits nothing; what is no budget is said, and the last result stays.

    Args:
        visit: As it stands.
        replay: Of the visit: the slider ends a little above its largest request.
        address: Write the address here; a page whose chart does that (``address_text``) saves time.
    """
    stops = slider_stops(int(replay.before.max(initial=0)), *_wanted(visit))
    last, place = stops[-1], (visit.session.digest, visit.thread.id, visit.unit)
    typed, complaint = st.session_state.get(TYPED, ("", ""))
    slider = _stand(SLIDER, last if visit.budget is None else min(visit.budget, last), place)
    box = _stand(BOX, typed if complaint else budget_text(visit.budget), place)
    left, right = st.columns([4, 1], vertical_alignment="bottom")
    with left:
        label = f"Budget in {UNIT_WORDS[visit.unit]}"
        st.select_slider(label, stops, slider.first, key=slider.key, format_func=lambda stop: f"{stop:,} or more" if stop == last else f"{stop:,}")
    right.text_input("Exact budget", str(box.first), key=box.key, placeholder="no limit", help="Empty: no limit. 0: nothing fits.")
    for sentence in filter(None, (default_words(visit.thread, visit.unit), budget_note(visit.session, visit.thread))):
        st.caption(literal(sentence))
    if any(fits.cut is None for fits in replay.fits):  # a rule that only cuts in front assumes nothing, and its plan would take time to make
        for sentence in replay.assumed:
            st.caption(literal(sentence))
    if complaint:
        st.error(literal(f"{complaint} The last result is still shown."))
    if address:
        write_address()


def _wanted(visit: Visit) -> tuple[int, ...]:
    """Budgets that were in force in this thread: stops that come and go would move the thumb under the visitor's hand."""
    place = (visit.session.digest, visit.thread.id, visit.unit)
    before, budgets = st.session_state.get("budget_stops", (None, ()))
    known: tuple[int, ...] = budgets if before == place else ()
    if visit.budget is not None and visit.budget not in known:
        known = (*known, visit.budget)[-8:]
        st.session_state["budget_stops"] = (place, known)
    return known

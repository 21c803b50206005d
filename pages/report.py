"""Report: what of the session may leave the machine, half a page for people who decide, and files to hand on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import _ui
import streamlit as st
from _looks import main_button
from _notes import kept_notes
from _visit import Visit

from ctxcore.counted import count
from ctxcore.errors import InputError
from ctxcore.redaction import Finding
from ctxcore.report import Release, Study, study
from ctxcore.report.headline import Verdict, headline, verdict
from ctxcore.report.page import report_html
from ctxcore.report.request import FORMS, written_request
from ctxcore.report.review_page import chosen_placeholders, finding_line, finding_pages, kinds_of
from ctxcore.report.tables_out import report_zip, tables_zip
from ctxcore.report.words import CAVEATS, summary, tiles
from ctxcore.views.json_output import strict_json
from ctxcore.views.notes import Note
from ctxcore.views.words import literal

MINE = "report_notes"
FOUND, MADE, TICKS, REVIEWED, TEXT, KIND, PAGE = (f"report_{name}" for name in ("found", "made", "ticks", "reviewed", "text", "kind", "page"))
"""Keys in the session state."""

BOXES: dict[Verdict, Callable[[str], object]] = {
    "safe": st.success,
    "dear": st.warning,
    "idle": st.info,
    "risk": st.warning,
    "fails": partial(st.warning, icon=":material/block:"),
}
"""How the answer is shown."""


def main() -> None:
    """Draw the page."""
    visit = _ui.need_session()
    st.title("Report")
    if visit.call < 0:
        st.info("This thread has no model call, so there is nothing to report. Choose another thread on the left.")
        return
    st.caption("One file that opens from disk and loads nothing, for people who decide and for engineers; and every table as CSV and JSON.")
    _ui.rule_controls(visit)
    explore()


@st.fragment
def explore() -> None:
    """All that moves with the budget and the review."""
    visit = _ui.moving()
    replay = _ui.replayed(visit)
    _ui.budget_control(visit, replay)
    if not visit.budget:
        st.info("Choose a budget of at least 1: at 0 no request fits, and without a limit there is nothing to save and nothing to risk.")
        return
    about = replace(_study(visit), notes=_chosen_notes(visit))
    _preview(about, _known(visit))
    release = _review(visit)
    _files(visit, about, release)
    _request(visit, release)


def _chosen_notes(visit: Visit) -> tuple[Note, ...]:
    """The visitor's notes, where they are to go with the report."""
    notes = kept_notes(visit)
    label = f"Include my {count(len(notes), 'note')}"
    return (
        notes if notes and st.toggle(label, True, key=MINE, persist_state="session", help="As written; what looks like a secret is replaced.") else ()
    )


def _study(visit: Visit) -> Study:
    """The numbers, kept until something about them changes."""
    place = (visit.session.digest, visit.thread.id, visit.policy, visit.settings, visit.budget, visit.unit, visit.keep)
    kept_place, kept = st.session_state.get(MADE, (None, None))
    if kept_place == place and kept is not None:
        made: Study = kept
        return made
    with st.spinner("Replaying policies …"):
        found = study(visit.thread, visit.session, visit.policy, visit.budget, visit.unit, keep=visit.kept(), **visit.values())
    st.session_state[MADE] = (place, found)
    return found


def _known(visit: Visit) -> Release:
    """Findings of the session, looked for once."""
    place, kept = st.session_state.get(FOUND, (None, None))
    if place == visit.session.digest and kept is not None:
        found: Release = kept
        return found
    with st.spinner("Looking for secrets and personal data …"):
        found = Release.of(visit.session)
    st.session_state[FOUND] = (visit.session.digest, found)
    st.session_state[TICKS] = {one.placeholder: one.sure for one in found.findings}
    st.session_state[REVIEWED] = False
    return found


def _preview(about: Study, release: Release) -> None:
    st.header("For people who decide", anchor=False)
    with st.container(border=True):
        BOXES[verdict(about)](literal(headline(about)))
        for column, tile in zip(st.columns(4), tiles(about), strict=True):
            column.metric(tile.label, tile.value, help=tile.basis or None)
            column.caption(literal(tile.note))
        for words in summary(about, release.line(about.session.name, 80)):
            st.write(literal(words))
        st.caption(literal(" ".join(CAVEATS)))


def _review(visit: Visit) -> Release:
    """The list of findings with a tick each, and what that decides."""
    known, ticks = _known(visit), st.session_state[TICKS]
    st.header("Review", anchor=False)
    if known.findings:
        st.write(f"{count(len(known.findings), 'value')} may be secret or personal. What is ticked is replaced everywhere by its placeholder.")
        _ticks(known.findings, ticks)
    else:
        st.write("No secrets or personal data were found by the rules. They find what looks like one; they cannot promise that nothing else is.")
    with st.container(horizontal=True):
        st.toggle("Include text of the session", True, key=TEXT, persist_state="session")
        label = "I have looked through these findings" if known.findings else "I know that rules may miss something"
        reviewed = st.checkbox(label, key=REVIEWED, persist_state="session")
    leave, take = chosen_placeholders(known.findings, ticks)
    release = known.chosen(reviewed=reviewed, with_text=bool(st.session_state.get(TEXT, True)), leave=leave, take=take)
    st.info(literal(release.sentence))
    return release


def _ticks(found: tuple[Finding, ...], ticks: dict[str, bool]) -> None:
    kinds = kinds_of(found)
    shown = found
    if len(kinds) > 1:
        kind = st.selectbox("Kind", ["", *kinds], key=KIND, format_func=lambda one: one.capitalize() or f"All, {len(found):,}")
        shown = tuple(one for one in found if not kind or one.kind == kind)
    pages = finding_pages(shown)
    number = st.number_input(f"Page of {len(pages):,}", 1, len(pages), key=PAGE) if len(pages) > 1 else 1
    with st.container(border=True, height=420 if len(shown) > 8 else "content"):
        for one in pages[min(int(number), len(pages)) - 1]:
            key = f"report_tick_{one.placeholder}"
            ticks[one.placeholder] = st.checkbox(literal(finding_line(one)), ticks[one.placeholder], key=key)


def _files(visit: Visit, about: Study, release: Release) -> None:
    st.header("Files", anchor=False)
    name = f"ctxscope-{visit.policy}-{visit.budget}"
    with st.container(horizontal=True):
        _download("Report (HTML)", lambda: report_html(about, release).encode("utf-8", "replace"), f"{name}.html", "text/html", primary=True)
        _download("Tables (CSV and JSON)", lambda: tables_zip(about, release), f"{name}-tables.zip", "application/zip")
        _download("All in one archive", lambda: report_zip(about, release), f"{name}.zip", "application/zip")
    st.caption(
        "Made when you press the button. " + ("Text of the session is included." if release.with_text else "No text of a message is included.")
    )


def _download(label: str, make: Any, name: str, kind: str, *, primary: bool = False) -> None:
    key, icon = f"report_file_{label}", ":material/download:"
    st.download_button(label, make, name, kind, key=key, on_click="ignore", type=main_button() if primary else "secondary", icon=icon)


def _request(visit: Visit, release: Release) -> None:
    """The picked call's request after the policy, for one API."""
    st.header(literal(f"The request of call #{visit.call:,}"), anchor=False)
    if not release.with_text:
        st.caption("A request is text of the session: review the findings first.")
        return
    form = st.segmented_control(
        "As taken by", FORMS, default=FORMS[0], key="report_form", format_func={"openai": "OpenAI", "anthropic": "Anthropic"}.__getitem__
    )
    try:
        written = written_request(_ui.replayed(visit), visit.call, form or FORMS[0])
    except InputError as error:
        st.warning(literal(str(error)))
        return
    for sentence in (*written.faults, *written.not_carried):
        st.caption(literal(f"• {sentence}"))
    body = written.body
    _download(
        "Request (JSON)", lambda: strict_json(release.redactor.redacted_json(body)).encode(), f"call-{visit.call}-{form}.json", "application/json"
    )


main()

"""What an address says: session, thread, call, policy, budget, what is kept, compared and searched, domain; checked before anything uses it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from ctxcore.errors import InputError, did_you_mean
from ctxcore.model import Session, Thread
from ctxcore.policies import POLICIES, all_policies
from ctxcore.state.domains import NAMES
from ctxcore.views.budget import UNLIMITED, budget_text, parse_budget
from ctxcore.views.search_query import read_search, search_query
from ctxcore.views.settings import keep_query, read_keep, read_settings, settings_query
from ctxcore.views.visible import shortened

KEYS = (
    *("session", "thread", "call", "policy", "set", "budget", "unit", "keep", "against"),
    *("beside", "beside_thread", "beside_policy", "beside_budget", "find", "among", "story", "domain", "part"),
)
"""Names in the query string, in the order they are written."""

MOST_FIND = 500
"""Characters of what is searched for."""

STORY = ("1", "2", "3")
"""Steps of the guided story."""

UNITS = ("chars", "tokens")
"""Units of measure that a page offers, default first."""

DOMAINS = (*NAMES, "own")
"""Domains that a page offers; the last is a file of the visitor's own."""

PARTS = ("request", "chains", "alerts", "injection", "log", "forgetting", "files")
"""Parts of the page State, in the order of its tabs."""

Default = Literal["default"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """What a visit looks at; empty and ``default`` values are filled by the session that is opened."""

    session: str = ""
    """Key of the session, or empty."""
    thread: str = ""
    """Id of the thread; empty is the first."""
    call: int | None = None
    """Index of the call, from 0; None is the last."""
    policy: str = POLICIES[0].name
    """Name of a policy."""
    settings: str = ""
    """Settings that differ from the policy's defaults, as ``settings_query`` writes them."""
    budget: int | Default | None = "default"
    """In ``unit``; None is unlimited."""
    unit: str = UNITS[0]
    """``chars`` or ``tokens``."""
    keep: str = ""
    """What stays whatever the policy says, as ``keep_query`` writes it."""
    against: str = ""
    """What the picked call is compared with: empty is the call before it, ``trimmed`` what the policy would send for it, ``12`` another call as
    recorded, ``12t`` both calls as the policy would send them."""
    beside: str = ""
    """Key of the session that stands beside this one, or empty."""
    beside_thread: str = ""
    """Id of its thread; empty is the first."""
    beside_policy: str = ""
    """Name of the policy that stands beside this one, or empty."""
    beside_budget: int | Default | None = "default"
    """Of that policy, in ``unit``; the default is the budget of this one, None is unlimited."""
    find: str = ""
    """What is searched for on the page Search."""
    among: str = ""
    """Where and how, as ``search_query`` writes it; empty for the defaults."""
    story: str = ""
    """Step of the guided story, from 1; empty is none."""
    domain: str = ""
    """Domain of the state, ``own`` for a file of the visitor's; empty is the one that suggests itself."""
    part: str = ""
    """Part of the page State, one of ``PARTS``; empty is the one that is shown first."""

    def query(self) -> dict[str, str]:
        """As a query string says it; values that are the default are left out."""
        written = {
            "session": self.session,
            "thread": self.thread,
            "call": "" if self.call is None else str(self.call),
            "policy": "" if self.policy == POLICIES[0].name else self.policy,
            "set": self.settings,
            "budget": "" if self.budget == "default" else budget_text(self.budget) or UNLIMITED,
            "unit": "" if self.unit == UNITS[0] else self.unit,
            "keep": self.keep,
            "against": self.against,
            "beside": self.beside,
            "beside_thread": self.beside_thread,
            "beside_policy": self.beside_policy,
            "beside_budget": "" if self.beside_budget == "default" else budget_text(self.beside_budget) or UNLIMITED,
            "find": self.find,
            "among": self.among,
            "story": self.story,
            "domain": self.domain,
            "part": self.part,
        }
        return {key: value for key, value in written.items() if value}


LISTED, MOST_SHOWN = 16, 60
"""Known values that a sentence lists, and characters of one that is not known."""


def read_link(query: Mapping[str, str]) -> tuple[Link, tuple[str, ...]]:
    """A link from a query string, and one sentence for each value that makes no sense (its default is used)."""
    complaints: list[str] = []
    known = tuple(kind.name for kind in all_policies())
    policy = _one_of("policy", query.get("policy", ""), known, complaints)
    link = Link(
        session=query.get("session", ""),
        thread=query.get("thread", ""),
        call=_call(query.get("call", ""), complaints),
        policy=policy,
        settings=_checked("settings", query.get("set", ""), lambda text: settings_query(read_settings(policy, text)), complaints),
        budget=_budget(query.get("budget", ""), complaints),
        unit=_one_of("unit", query.get("unit", ""), UNITS, complaints),
        keep=_checked("kept units", query.get("keep", ""), lambda text: keep_query(read_keep(text)), complaints),
        against=_checked("a comparison", query.get("against", ""), _against, complaints),
        beside=query.get("beside", ""),
        beside_thread=query.get("beside_thread", ""),
        beside_policy=query.get("beside_policy", "") and _one_of("policy", query["beside_policy"], known, complaints),
        beside_budget=_budget(query.get("beside_budget", ""), complaints),
        find=query.get("find", "")[:MOST_FIND],
        among=_checked("filters", query.get("among", ""), lambda text: search_query(read_search(text)), complaints),
        story=_checked("a step of the story", query.get("story", ""), _story, complaints),
        domain=_one_of("domain", query.get("domain", ""), ("", *DOMAINS), complaints),
        part=_one_of("part", query.get("part", ""), ("", *PARTS), complaints),
    )
    return link, tuple(complaints)


def missed(link: Link, session: Session, thread: Thread) -> tuple[str, ...]:
    """One sentence for each value of an address that this session does not have.

    Args:
        link: The address.
        session: The one that is open.
        thread: Of the session, the one that is shown.
    """
    told = []
    if link.thread and link.thread not in {one.id for one in session.threads}:
        told.append(f"The address asks for the thread {link.thread[:60]!r}, which this session does not have; the first is shown.")
    if link.call is not None and link.call >= len(thread.calls) > 0:
        told.append(f"The address asks for call {link.call:,}, but the last call of this thread is #{len(thread.calls) - 1:,}; it is shown.")
    return tuple(told)


def _call(text: str, complaints: list[str]) -> int | None:
    if re.fullmatch(r"[0-9]{1,9}", text):
        return int(text)
    if text:
        complaints.append(f"The address asks for call {text[:20]!r}, which is no whole number of up to nine digits; the last call is shown.")
    return None


def _checked(what: str, text: str, read: Callable[[str], str], complaints: list[str]) -> str:
    try:
        return read(text)
    except InputError as error:
        complaints.append(f"The address asks for {what} that make no sense: {error} They are left out.")
        return ""


def _against(text: str) -> str:
    if text and not re.fullmatch(r"trimmed|[0-9]{1,9}t?", text):
        raise InputError(f"{text[:40]!r} is not `trimmed`, a call like 12, or 12t.")
    return text


def _story(text: str) -> str:
    if text and text not in STORY:
        raise InputError(f"{text[:40]!r} is not one of {', '.join(STORY)}.")
    return text


def _one_of(key: str, text: str, known: tuple[str, ...], complaints: list[str]) -> str:
    if text in known or not text:
        return text or known[0]
    listed = f"; known are {', '.join(filter(None, known))}" if len(known) <= LISTED else ", which is not known here"
    complaints.append(
        f"The address asks for {key} {shortened(text, MOST_SHOWN)!r}{listed}.{did_you_mean(text, known)} {known[0] or 'The default'} is used."
    )
    return known[0]


def _budget(text: str, complaints: list[str]) -> int | Default | None:
    if not text:
        return "default"
    try:
        return parse_budget("" if text == UNLIMITED else text)
    except InputError as error:
        complaints.append(f"The address asks for a budget that makes no sense: {error} The default is used.")
        return "default"

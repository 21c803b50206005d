"""Page views as clues: which product a page was about, so that "compare A and C" means two ids. Nothing is read off a view but its id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import urlsplit

from ctxcore.errors import InputError
from ctxcore.state.letters import meant_letters


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What a page is about."""

    type: str
    """For example `product`."""
    id: str
    """Of the thing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """Pages that a session viewed, in order of first view. A value: adding gives another one."""

    mappings: Mapping[tuple[str, str], Reference] = field(default_factory=lambda: MappingProxyType({}))
    """Session id and page (host and path) → what the page is about."""

    def add_mapping(self, session_id: str, url: str, reference: Mapping[str, str]) -> Views:
        """Note what a page is about; a page that is noted again keeps its place.

        Args:
            session_id: Whose view.
            url: Of the page; scheme, query and fragment do not count.
            reference: `{type, id}`.

        Raises:
            InputError: No address of a page, or no type and id.
        """
        if not reference.get("type") or not reference.get("id"):
            raise InputError(f"A reference needs a type and an id, not {dict(reference)!r:.120}.")
        about = Reference(type=reference["type"], id=reference["id"])
        return Views(mappings=MappingProxyType({**self.mappings, (session_id, page_key(url)): about}))

    def seen(self, session_id: str, type: str = "product") -> tuple[str, ...]:
        """Ids of a type that the session viewed, each once, in order of first view."""
        ids = [one.id for (session, _), one in self.mappings.items() if session == session_id and one.type == type]
        return tuple(dict.fromkeys(ids))

    def resolve(self, session_id: str, text: str, type: str = "product") -> tuple[str, ...]:
        """Ids that a text means by letters or by themselves: the first page viewed is A.

        A letter without a page means nothing, nor does an article, a grade or a name (a nice one, plan B).

        Args:
            session_id: Whose views.
            text: What the user says.
            type: Of the things.
        """
        ids = self.seen(session_id, type)
        named = [(text.find(one), one) for one in ids if one in text]
        hidden = text
        for _, one in named:
            hidden = hidden.replace(one, " " * len(one))
        lettered = [(start, ids[place]) for start, letter in meant_letters(hidden) if (place := ord(letter) - ord("A")) < len(ids)]
        return tuple(dict.fromkeys(one for _, one in sorted([*named, *lettered])))


def page_key(url: str) -> str:
    """Host and path of a page.

    Raises:
        InputError: No host in it.
    """
    try:
        parts = urlsplit(url if "//" in url else f"//{url}")
        host = parts.hostname
    except ValueError as error:
        raise InputError(f"{url!r:.120} is no address of a page: {error}.") from error
    if not host:
        raise InputError(f"{url!r:.120} is no address of a page: it names no host.")
    return f"{host}{parts.path.rstrip('/')}"

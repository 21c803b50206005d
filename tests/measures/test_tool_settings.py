"""Limits and modes of tools are no evidence; made replies."""

from __future__ import annotations

from ctxcore.atoms import Atom
from ctxcore.measures.tool_settings import only_set
from ctxcore.model import SourceRef
from ctxcore.readers.chat_message import chat_message
from tests.measures.conversations import asks


def set_only(text: str, *names: str, **arguments: object) -> set[str]:
    """Values of these that the reply holds as settings alone."""
    reply = chat_message({**asks("a", "fire", **arguments), "content": text or None}, SourceRef())
    wanted = {number: Atom("number" if name.isdigit() else "id", name) for number, name in enumerate(names)}
    return {names[number] for number in only_set(reply, wanted)}


def test_a_limit_a_mode_and_the_name_of_an_argument_are_settings() -> None:
    found = set_only("", "20000", "names_of_shelves", "kiln_id", max_output_tokens=20_000, outputMode="names_of_shelves", kiln_id="k7")
    assert found == {"20000", "names_of_shelves", "kiln_id"}


def test_a_line_an_id_and_words_that_are_looked_for_are_evidence() -> None:
    assert set_only("", "1187", "4711", "names_of_shelves", offset=1187, kiln_id=4711, pattern="names_of_shelves") == set()


def test_what_is_said_as_well_is_evidence() -> None:
    assert set_only("It holds 20000 bowls.", "20000", max_output_tokens=20_000) == set()
    assert set_only("", "20000", max_output_tokens=20_000, command="fire --bowls 20000") == set()

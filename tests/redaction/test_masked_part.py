"""A piece of a text is masked as it is in the whole, wherever it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxcore.redaction.finding import find
from ctxcore.redaction.masking import MASK, SURE, masked, masked_part
from ctxcore.views.message_text import full_text, preview
from ctxcore.views.sight import excerpt_at
from ctxcore.views.visible import fitted, line_at, shortened
from tests.redaction.labelled import POSITIVE

LABELLED = [text.replace("~", "") for texts in POSITIVE.values() for text in texts]
"""Every kind, secrets between « and »."""

LONG_SECRETS = [
    "«eyJ" + "hbGciOiJSUzI1NiJ9" * 90 + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" * 150 + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U»",
    "«-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA7bq8q0Zl3fMIIEowIBAAKCAQEA7bq8q0Zl3fAbCdEfGh\n" * 50 + "-----END RSA PRIVATE KEY-----»",
    "Cookie: «sid=Qsid0123456789abcdef" + "; part=8f7a9e1c22b34d5e6f70" * 90 + "»",
    'password="«' + "correct Horse battery! " * 17 + '»"',
]

FILLERS = ("Nothing to see here, row after row. ", "无事可看，一行又一行。", "word\n\n")


def _text(labelled: str, filler: str, before: int, after: int) -> tuple[str, int, int]:
    """The text with filler around it, and where its secret stands."""
    lead, tail = (filler * (before // len(filler) + 1))[:before].rstrip() + " ", " " + (filler * (after // len(filler) + 1))[:after]
    start, stop = labelled.index("«"), labelled.index("»") - 1
    return lead + labelled.replace("«", "").replace("»", "") + tail, len(lead) + start, len(lead) + stop


def _expected(text: str, start: int, stop: int) -> str:
    """By the findings in the whole text, letter by letter."""
    owner = {place: span for span in find(text, SURE) for place in range(span.start, span.stop)}
    pieces, last = list[str](), None
    for place in range(max(0, start), min(stop, len(text))):
        span = owner.get(place)
        pieces += [text[place]] if span is None else [MASK] if span is not last else []
        last = span
    return "".join(pieces)


@settings(max_examples=400, deadline=None)
@given(
    labelled=st.sampled_from(LABELLED + LONG_SECRETS),
    filler=st.sampled_from(FILLERS),
    before=st.integers(0, 1500),
    after=st.integers(0, 1500),
    data=st.data(),
)
def test_a_piece_shows_what_the_whole_shows_there(labelled: str, filler: str, before: int, after: int, data: st.DataObject) -> None:
    """Both cuts anywhere, most of them inside or near of the secret."""
    text, first, last = _text(labelled, filler, before, after)
    near = st.integers(max(0, first - 40), min(len(text), last + 40)) | st.integers(0, len(text))
    start, stop = sorted((data.draw(near), data.draw(near)))
    assert masked_part(text, start, stop) == _expected(text, start, stop)


@pytest.mark.parametrize("labelled", LABELLED + LONG_SECRETS)
def test_no_excerpt_shows_a_part_of_a_secret(labelled: str) -> None:
    """At every width that cuts it: nothing of it stands before the ellipsis."""
    for before in (0, 24, 34):
        text, first, last = _text(labelled, "Filler. ", before, 40)
        name = _expected(text, 0, first)
        for width in {first + part for part in (1, 2, 3, 5, 8, 12, 18, 25, 40, last - first - 1) if part <= last - first}:
            for shown in (shortened(text, width), fitted(text, width), line_at(text, 0, width)):
                assert text[first : first + 4] not in shown.replace(name, "") or text[first : first + 4] in name, (shown, width)


def test_an_excerpt_from_the_middle_of_a_secret_shows_none_of_it() -> None:
    text = "The key of the mail server is password=Zq8Lw2Xn5Rv9Tb3K and it goes on."
    for place in range(text.index("password"), text.index(" and")):
        assert not any(text[at : at + 4] in excerpt_at(text, place) for at in range(text.index("Zq8"), text.index("3K")))


def test_a_preview_and_a_full_text_that_end_inside_a_secret_show_none_of_it() -> None:
    mail = "alice.wonder@corp-mail.example"
    for lead in (270, 199_990):
        text = ("filler " * 30_000)[: lead - 1] + " " + mail
        shown = preview(text) if lead < 1000 else full_text(text)
        assert "alice" not in shown
        assert MASK in shown


def test_what_is_no_secret_is_cut_as_before() -> None:
    assert shortened("abcdef", 4) == "abc…"
    assert shortened("abcd", 4) == "abcd"
    assert line_at("a \n b c d e", 0, 5) == "a b …"
    assert line_at("a\n\n\nb", 0, 5) == "a b"
    assert fitted("中文中文", 5) == "中文…"


def test_white_space_takes_no_room_in_a_line() -> None:
    assert line_at("a" + "\n" * 900 + "b", 0, 20) == "a b"


def test_sixty_four_megabytes_are_not_all_looked_at() -> None:
    """The cost is that of the window: a whole text would take minutes."""
    for piece in ("word ", "abcd", "eyJabc.", "\u200b", "199 "):
        text = piece * (64_000_000 // len(piece))
        assert len(shortened(text, 80)) <= 80
        assert len(excerpt_at(text, 32_000_000)) <= 200


def test_a_masked_piece_of_a_short_text_is_the_masked_text() -> None:
    for labelled in LABELLED:
        text = labelled.replace("«", "").replace("»", "")
        assert masked_part(text, 0, len(text)) == masked(text)

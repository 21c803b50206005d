"""Page views as clues."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxcore.errors import InputError
from ctxcore.state.references import Views, page_key


def viewed(*ids: str) -> Views:
    views = Views()
    for one in ids:
        views = views.add_mapping("s1", f"https://shop.invalid/item/{one}?from=list#top", {"type": "product", "id": one})
    return views


def test_compare_a_and_c_means_the_first_and_the_third_page() -> None:
    """The worked example: two ids, then one price call each."""
    views = viewed("MC-100", "MC-200", "MC-210")
    assert views.resolve("s1", "Compare A and C, please") == ("MC-100", "MC-210")
    assert views.resolve("s1", "把A和C比一下") == ("MC-100", "MC-210")
    assert [("get_price", one) for one in views.resolve("s1", "Compare A and C")] == [("get_price", "MC-100"), ("get_price", "MC-210")]


def test_ids_may_be_named_and_unknown_letters_mean_nothing() -> None:
    views = viewed("MC-100", "MC-200")
    assert views.resolve("s1", "MC-200 or A?") == ("MC-200", "MC-100")
    assert views.resolve("s1", "Compare A and F") == ("MC-100",)
    assert views.resolve("s2", "Compare A and B") == ()


LABELLED = [
    line.replace("\\n", "\n").split(" | ", 1)
    for line in (Path(__file__).parent / "labelled_letters.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.mark.parametrize(("letters", "said"), LABELLED)
def test_a_letter_is_a_page_only_where_the_sentence_means_one(letters: str, said: str) -> None:
    """Own labelled sentences, half of them with letters that mean none: articles, grades, places, plan B, B超."""
    pages = tuple(f"P-{letter}" for letter in letters.upper() if letter != "-")
    assert viewed("P-A", "P-B", "P-C", "P-D").resolve("s1", said) == pages


def test_a_page_is_its_host_and_path() -> None:
    assert page_key("https://Shop.invalid/item/1/?a=b#c") == page_key("http://shop.invalid/item/1") == "shop.invalid/item/1"
    again = viewed("MC-100", "MC-200").add_mapping("s1", "http://shop.invalid/item/MC-100", {"type": "product", "id": "MC-100"})
    assert again.seen("s1") == ("MC-100", "MC-200")


def test_a_mapping_is_a_value() -> None:
    views = viewed("MC-100")
    views.add_mapping("s1", "https://shop.invalid/x", {"type": "product", "id": "X"})
    assert views.seen("s1") == ("MC-100",)


@pytest.mark.parametrize(
    ("url", "reference"), [("", {"type": "product", "id": "1"}), ("https://[", {"type": "p", "id": "1"}), ("https://a.invalid/", {"type": "p"})]
)
def test_nonsense_is_refused(url: str, reference: dict[str, str]) -> None:
    with pytest.raises(InputError):
        Views().add_mapping("s1", url, reference)

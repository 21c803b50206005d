"""Page views as clues."""

from __future__ import annotations

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

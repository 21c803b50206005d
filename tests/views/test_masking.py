"""Secrets and personal data are shown as dots; what an inspector needs stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore.views.masking import MASK, masked

CASES = Path(__file__).parents[1] / "data" / "cases"


def contents(name: str) -> list[str]:
    return [m["content"] or "" for m in json.loads((CASES / name).read_text(encoding="utf-8"))["messages"]]


def test_four_secrets_are_masked_whole_and_names_and_counts_stay() -> None:
    """Case VIEW-06, also as it stands in raw JSON."""
    source = contents("VIEW-06.json")[2]
    expected = f"PATH=/usr/bin\nTAVILY_API_KEY={MASK}\nDB_PASSWORD={MASK}\nMODEL_KEY={MASK}\nZH_KEY={MASK}\nCACHE_TOKENS=1200\nMAX_TOKENS=4096"
    assert masked(source) == expected
    assert json.loads(masked(json.dumps({"content": source})))["content"] == expected


def test_four_personal_values_are_masked_and_the_order_number_stays() -> None:
    """Case VIEW-09: two mobiles, an identity number with a valid checksum, an e-mail."""
    person, _ = contents("VIEW-09.json")
    assert masked(person) == f"联系人电话 {MASK}，备用 {MASK}，证件 {MASK}，邮箱 {MASK}，订单号 20250310199000000。"
    assert masked(contents("VIEW-09.json")[1]) == contents("VIEW-09.json")[1]


@pytest.mark.parametrize(
    "text",
    [
        "990000190001010017",  # wrong checksum
        "1741600000000",  # milliseconds
        "pkg@1.2.3",
        "@app.route('/x')",
        "primary_key=True, foreign_key=customer_id",
        "max_tokens: 4096, total_tokens=123456789",
        "API_KEY=",
        "call_19900000001",
        "toolu_01EXAMPLE",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize("piece", ["a-", "A_", "1", "a@", "x.", "_KEY", "199 "])
def test_a_megabyte_of_near_misses_is_looked_at_once(piece: str) -> None:
    """Every pattern has a bound, so that no text makes the search run over itself again and again."""
    assert len(masked(piece * (10**6 // len(piece)))) > 0

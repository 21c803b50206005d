"""Values of a conversation: what is said, corrected, taken back, asked and only remarked."""

from __future__ import annotations

from typing import Any

from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit
from ctxcore.state.entries import FieldChain, State
from ctxcore.state.reading import source_text
from tests.cases import case, main


def state(name: str) -> State:
    """The state of a case; every quote stands where it is said to stand."""
    thread = main(f"{name}.json")
    read = edit(thread, domain_named("open"))
    for chain in read.fields.values():
        for source in [s for entry in chain.entries for s in (entry.source, *entry.more)] + [one.source for one in chain.restated]:
            assert source_text(thread.messages[source.message])[source.start : source.end] == source.quote
            assert source.quote
    return read


def chain(chain: FieldChain) -> list[tuple[Any, int, str]]:
    """Value, round and why of every accepted entry."""
    return [(entry.value, entry.round, entry.why) for entry in chain.entries if entry.status == "accepted"]


def codes(read: State) -> list[tuple[str, int]]:
    return [(alert.code, alert.round) for alert in read.alerts]


@case
def state_01() -> None:
    """A budget is corrected; the assistant's repetition is no change; the words stay as written."""
    fields = state("STATE-01").fields
    assert chain(fields["预算"]) == [(18_000_000, 1, "initial_selection"), (1_680_000, 2, "user_correction")]
    assert [entry.source.quote for entry in fields["预算"].entries] == ["一千八百万", "一百六十八萬"]
    assert list(fields) == ["预算"]


@case
def state_02() -> None:
    """Four amounts under four names, none over another; a unit where one was said."""
    fields = state("STATE-02").fields
    found = {name: (one.value, one.entries[0].unit, one.entries[0].round) for name, one in fields.items()}
    assert found == {"总价": (2_500_000, "", 1), "定金": (150_000, "CNY", 1), "尾款": (158_000, "CNY", 2), "手续费": (10.38, "CNY", 2)}


@case
def state_04() -> None:
    """两 is a numeral in front of units, and the quote is what stands there."""
    fields = state("STATE-04").fields
    found = {name: (one.value, one.entries[0].round, one.entries[0].source.quote) for name, one in fields.items()}
    assert found == {"数量": (2225, 1, "两千两百二十五"), "单价": (20_000, 1, "两万"), "总额": (120_000, 2, "十二万"), "另加": (200, 2, "两百")}


@case
def state_05() -> None:
    """The same number in other words is restated, not changed."""
    (stock,) = state("STATE-05").fields.values()
    assert (stock.name, stock.value, stock.changes) == ("库存", 505_000, 0)
    assert [(one.round, one.source.quote) for one in stock.restated] == [(2, "五十万五千件")]


@case
def state_07() -> None:
    """Days count from the day of the message, and an ambiguous one is flagged."""
    read = state("STATE-07")
    values = [one.value for one in read.fields.values()]
    assert sorted(values) == ["2025-02", "2025-03-19"]
    assert ("AMBIGUOUS_VALUE", 2) in codes(read)


@case
def state_08() -> None:
    """A preference turns into its opposite, once."""
    (soup,) = state("STATE-08").fields.values()
    assert "spicy soup" in soup.name.casefold()
    assert chain(soup) == [("likes", 1, "initial_selection"), ("dislikes", 2, "user_correction")]


@case
def state_09() -> None:
    """A value that comes back is a reversion."""
    (colour,) = state("STATE-09").fields.values()
    assert colour.name == "locker colour"
    assert chain(colour) == [("green", 1, "initial_selection"), ("blue", 2, "user_correction"), ("green", 3, "user_reversion")]


@case
def state_11() -> None:
    """What the assistant turned down is not the value, and its limit never was."""
    (amount,) = state("STATE-11").fields.values()
    assert amount.value == 2500
    assert [(entry.value, entry.round, entry.status) for entry in amount.entries] == [(2500, 1, "accepted"), (4000, 2, "refused")]


@case
def state_13() -> None:
    """Saying it again, in digits or in words, changes nothing."""
    (gate,) = state("STATE-13").fields.values()
    assert (gate.name, gate.value, gate.changes) == ("gate", 3, 0)
    assert [one.round for one in gate.restated] == [2, 3]


@case
def state_14() -> None:
    """Hearsay does not replace what was read off the plate, and is not hidden."""
    read = state("STATE-14")
    (limit,) = read.fields.values()
    assert "lift limit" in limit.name
    assert (limit.value, limit.entries[0].unit, limit.changes) == (400, "kg", 0)
    assert codes(read) == [("CONFLICTING_REMARK", 2)]
    assert "450" in read.alerts[0].text


@case
def state_16() -> None:
    """A question is no answer; the next short message is."""
    (town,) = state("STATE-16").fields.values()
    assert town.name == "town"
    assert chain(town) == [("Millbrook", 3, "initial_selection")]


@case
def state_18() -> None:
    """A slip of the tongue is corrected at once, a condition is no value, and "as it was" does not say as when."""
    read = state("STATE-18")
    (heater,) = read.fields.values()
    assert chain(heater) == [(21, 1, "initial_selection"), (19, 1, "user_correction")]
    assert codes(read) == [("AMBIGUOUS_REFERENCE", 2)]

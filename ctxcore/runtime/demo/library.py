"""A library of invented documents on battery storage sites.

Every figure follows from its key by a hash, so the library is the same everywhere and always.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

ENGLISH_SITES = (
    "Heron Flat",
    "Quarry Bend",
    "North Quay",
    "Saltmarsh",
    "Old Foundry",
    "Windmill Ridge",
    "Ferry Cross",
    "Pine Hollow",
    "Kestrel Down",
)
CHINESE_SITES = ("白沙渡", "石桥", "望江", "青岭", "临溪", "沙湾", "南屏")
PILOTS = frozenset({"North Quay", "Ferry Cross", "青岭"})
"""Sites under 20 MWh."""

BROCHURES = frozenset({"Saltmarsh", "Pine Hollow"})
"""Sites whose cost is known from a vendor's brochure only."""


def draw(key: str, low: int, high: int) -> int:
    """A whole number of this range that belongs to the key."""
    number = int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest(), "big")
    return low + number % (high - low + 1)


def choose(key: str, options: Sequence[T]) -> T:
    """The option that belongs to the key."""
    return options[draw(key, 0, len(options) - 1)]


@dataclass(frozen=True, slots=True)
class Site:
    """One storage site."""

    number: int
    """From 1."""
    name: str
    """As in its documents."""

    @property
    def code(self) -> str:
        """Short name for figures."""
        return f"S{self.number:02d}"

    @property
    def chinese(self) -> bool:
        """Its documents are in Chinese."""
        return self.name in CHINESE_SITES

    @property
    def capacity_mwh(self) -> int:
        """Energy capacity."""
        return draw(f"{self.name} capacity", 6, 18) if self.name in PILOTS else draw(f"{self.name} capacity", 24, 240)

    @property
    def cost_usd_per_kwh(self) -> int:
        """Turnkey cost as tendered."""
        return draw(f"{self.name} cost", 210, 390)

    @property
    def efficiency_percent(self) -> float:
        """Measured round trip."""
        return draw(f"{self.name} efficiency", 820, 915) / 10

    @property
    def availability_percent(self) -> float:
        """Hours able to run."""
        return draw(f"{self.name} availability", 930, 995) / 10

    @property
    def power_mw(self) -> float:
        """Connection power: a two to four hour battery."""
        return round(self.capacity_mwh / draw(f"{self.name} hours", 2, 4), 1)


SITES = tuple(Site(number, name) for number, name in enumerate((*ENGLISH_SITES, *CHINESE_SITES), 1))

ERRATA = {"Quarry Bend": 31, "Old Foundry": -24, "石桥": 18}
"""Sites whose tendered cost is corrected later, and by how many USD/kWh."""

FILLER = (
    "The connection point lies {n} km from the site and was reinforced in phase {k} of the local grid plan.",
    "Cells are arranged in {n} containers with liquid cooling; the supplier keeps spare modules on site for {k} years.",
    "Noise at the nearest dwelling was measured at {n} dB(A) on {k} nights, below the permitted level.",
    "The operator runs {k} cycles a day in winter and reports {n} unplanned stops over the period.",
    "Fire protection follows the regional code: {n} gas detectors, {k} separate suppression zones and a drained bund.",
    "Land is leased for {n} years with an option to extend; access crosses {k} parcels with recorded easements.",
    "Inverters were replaced after {k} years under warranty; {n} hours of work were booked for it.",
    "The tender drew {k} bids; the spread between the lowest and the highest was {n} percent.",
)

FILLER_ZH = (
    "并网点距场站 {n} 公里，第 {k} 期电网规划中已完成加固。",
    "电芯分装于 {n} 个集装箱，采用液冷；供应商在现场备有可用 {k} 年的备件。",
    "最近民居夜间噪声实测 {n} 分贝，共监测 {k} 夜，低于限值。",
    "冬季每日循环 {k} 次，统计期内非计划停机 {n} 次。",
    "消防按地方规范配置：{n} 个气体探测器、{k} 个独立灭火分区。",
    "土地租期 {n} 年，可续租；进场道路经过 {k} 宗地块，均已登记通行权。",
)


@dataclass(frozen=True, slots=True)
class Document:
    """One document of the library."""

    id: str
    """Such as ``S01-tender``."""
    title: str
    """In its own language."""
    text: str
    """Whole text."""


def prose(key: str, sentences: int, *, chinese: bool = False) -> str:
    """Paragraphs that say little, as reports do."""
    options = FILLER_ZH if chinese else FILLER
    start = draw(f"{key} start", 0, len(options) - 1)
    made = [options[(start + i) % len(options)].format(n=draw(f"{key} n{i}", 11, 48), k=draw(f"{key} k{i}", 2, 7)) for i in range(sentences)]
    return ("" if chinese else " ").join(made)


def _tender(site: Site) -> Document:
    key = f"{site.code}-tender"
    source = "vendor brochure" if site.name in BROCHURES else "signed contract"
    if site.chinese:
        facts = f"额定容量：{site.capacity_mwh} MWh\n单位造价：{site.cost_usd_per_kwh} USD/kWh\n数据来源：已签合同"
        return Document(key, f"{site.name}储能电站招标概况", f"{prose(key, 7, chinese=True)}\n\n{facts}\n\n{prose(key + ' more', 6, chinese=True)}")
    facts = f"Energy capacity: {site.capacity_mwh} MWh\nTurnkey cost: {site.cost_usd_per_kwh} USD/kWh\nSource of cost: {source}"
    return Document(key, f"{site.name}: tender summary", f"{prose(key, 5)}\n\n{facts}\n\n{prose(key + ' more', 4)}")


def _operations(site: Site) -> Document:
    key = f"{site.code}-operations"
    if site.chinese:
        facts = f"往返效率：{site.efficiency_percent} %\n可用率：{site.availability_percent} %"
        return Document(key, f"{site.name}储能电站运行年报", f"{prose(key, 9, chinese=True)}\n\n{facts}\n\n{prose(key + ' more', 6, chinese=True)}")
    facts = f"Round-trip efficiency: {site.efficiency_percent} %\nAvailability: {site.availability_percent} %"
    return Document(key, f"{site.name}: operating report", f"{prose(key, 6)}\n\n{facts}\n\n{prose(key + ' more', 5)}")


def _grid(site: Site) -> Document:
    key = f"{site.code}-grid"
    if site.chinese:
        facts = f"并网功率：{site.power_mw} MW"
        return Document(key, f"{site.name}储能电站并网评估", f"{prose(key, 8, chinese=True)}\n\n{facts}\n\n{prose(key + ' more', 7, chinese=True)}")
    facts = f"Connection power: {site.power_mw} MW"
    return Document(key, f"{site.name}: grid assessment", f"{prose(key, 7)}\n\n{facts}\n\n{prose(key + ' more', 5)}")


def _errata() -> Document:
    lines = [
        f"{site.code} {site.name}: turnkey cost is {site.cost_usd_per_kwh + ERRATA[site.name]} USD/kWh, not {site.cost_usd_per_kwh}."
        for site in SITES
        if site.name in ERRATA
    ]
    return Document("G-errata", "Errata to the tender summaries", "Corrections after audit of the final invoices.\n\n" + "\n".join(lines))


def _method() -> Document:
    text = "Costs are turnkey, without land and tax. Efficiency is measured at the connection point over a year, auxiliaries included."
    return Document("G-method", "How the figures were collected", f"{text}\n\n{prose('G-method', 8)}")


def _annex() -> Document:
    days = [
        f"day {day:03d}: charged {draw(f'annex c{day}', 40, 96)} MWh, discharged {draw(f'annex d{day}', 36, 84)} MWh, "
        f"auxiliaries {draw(f'annex a{day}', 2, 9)} MWh, stops {draw(f'annex s{day}', 0, 3)}"
        for day in range(1, 181)
    ]
    return Document("G-annex", "Annex: daily operation of Kestrel Down, first half-year", "\n".join(days))


def documents() -> dict[str, Document]:
    """The whole library by id."""
    made = [_method(), *(make(site) for site in SITES for make in (_tender, _operations, _grid)), _errata(), _annex()]
    return {document.id: document for document in made}

"""Sample, long: fifty documents on battery storage, English and Chinese. Two rules said at the start matter at the very end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ctxcore.runtime.demo.library import SITES, Site, choose
from ctxcore.runtime.demo.plans import todos
from ctxcore.runtime.demo.script import Results, Say, Step, Turn, Use, say, use

SYSTEM = """You are a research assistant. You compare battery storage sites from a library of documents, some of them in Chinese.
- Every figure you use is recorded with record_figure, with the document it comes from. Names are SITE.metric: S01.capacity, S01.cost,
  S01.efficiency, S01.availability, S01.power. Never quote a figure from memory.
- When a figure turns out wrong, record the new value under the same name and say which value it replaces.
- Assumptions such as exchange rates are set with set_assumption before anything is computed from them.
- Keep a todo list with TodoWrite. Exactly one item is in progress. Reopen an item whose result no longer holds.
- Answer briefly, in the user's language. Say what you left out and why."""

ITEMS = (
    ("Read the method and agree on the rules", "Reading the method"),
    ("Figures of S01 to S03", "Recording S01 to S03"),
    ("Figures of S04 to S07", "Recording S04 to S07"),
    ("Figures of S08 and S09, annex of Kestrel Down", "Recording S08 and S09"),
    ("Figures of the Chinese sites S10 to S16", "Recording S10 to S16"),
    ("Costs in EUR", "Converting costs"),
    ("Final table", "Writing the final table"),
)

FACTS = {
    "capacity": (r"(?:Energy capacity: |额定容量：)(\d+)", "MWh"),
    "cost": (r"(?:Turnkey cost: |单位造价：)(\d+)", "USD/kWh"),
    "efficiency": (r"(?:Round-trip efficiency: |往返效率：)([\d.]+)", "%"),
    "availability": (r"(?:Availability: |可用率：)([\d.]+)", "%"),
    "power": (r"(?:Connection power: |并网功率：)([\d.]+)", "MW"),
}
"""How a metric stands in a document, and its unit."""

BY_DOCUMENT = {"tender": ("capacity", "cost"), "operations": ("efficiency", "availability"), "grid": ("power",)}

OPENERS = ("Next: {title}.", "", "Now {title}.", "Opening {title}.", "", "{title} is next.")

RATE_AT_FIRST, RATE_CORRECTED = 0.90, 0.92


def fact(text: str, metric: str) -> float:
    """A metric's value as the document states it."""
    found = re.search(FACTS[metric][0], text)
    if found is None:
        raise ValueError(f"no {metric} in: {text[:80]}")
    return float(found[1]) if "." in found[1] else int(found[1])


def record(site: Site, metric: str, value: float, document: str) -> Use:
    """A ``record_figure`` call."""
    return use("record_figure", name=f"{site.code}.{metric}", value=value, unit=FACTS[metric][1], source=document)


def read_site(site: Site) -> list[Step]:
    """Open a site's three documents one by one and record what they say."""
    steps: list[Step] = []
    for kind, metrics in BY_DOCUMENT.items():
        document = f"{site.code}-{kind}"
        text = choose(f"{document} opener", OPENERS).format(title=f"the {kind} document of {site.name}")
        steps.append(say(text, use("open_document", id=document)))
        steps += _record_each(site, metrics, document)
    steps.append(say(f"Checking what is recorded for {site.code}.", use("get_figures", prefix=f"{site.code}.")))
    return steps


def _record_each(site: Site, metrics: Sequence[str], document: str) -> list[Step]:
    """One message per metric; the document is remembered from the first."""
    seen: list[str] = []

    def step(metric: str) -> Step:
        def speak(results: Results) -> Say:
            if not seen:
                seen.append(results[0]["text"])
            return say("", record(site, metric, fact(seen[0], metric), document))

        return speak

    return [step(metric) for metric in metrics]


def read_site_at_once(site: Site) -> list[Step]:
    """Open a site's three documents together, record all figures together."""
    ids = {kind: f"{site.code}-{kind}" for kind in BY_DOCUMENT}

    def speak(results: Results) -> Say:
        texts = dict(zip(ids, (r["text"] for r in results), strict=True))
        return say("", *(record(site, m, fact(texts[kind], m), ids[kind]) for kind, metrics in BY_DOCUMENT.items() for m in metrics))

    return [say(f"{site.name}: all three documents at once.", *(use("open_document", id=i) for i in ids.values())), speak]


def misread(site: Site) -> list[Step]:
    """Record a cost with two digits swapped, notice it in the check, and put it right from the document."""
    document = f"{site.code}-tender"

    def right(results: Results) -> Say:
        return say("The digits were swapped.", record(site, "cost", fact(results[0]["text"], "cost"), document))

    digits = str(site.cost_usd_per_kwh)
    swapped = int(digits[0] + digits[2] + digits[1])
    return [
        say(f"I note the cost of {site.name} again for the overview.", record(site, "cost", swapped, document)),
        say(f"{swapped} does not look like what I read. Opening the document again.", use("open_document", id=document)),
        right,
    ]


def sites(first: int, last: int) -> tuple[Site, ...]:
    """Sites by number, both ends included."""
    return SITES[first - 1 : last]


def steps_for(group: Sequence[Site]) -> list[Step]:
    """All sites of a group, one after another."""
    return [step for site in group for step in read_site(site)]


def small(figures: dict[str, Any]) -> list[str]:
    """Codes of the pilot sites: under 20 MWh."""
    return [name.split(".")[0] for name, figure in figures.items() if name.endswith(".capacity") and figure["value"] < 20]


def annex_answer(results: Results) -> Say:
    """Count the days with two stops or more in the opened annex."""
    stops = [int(n) for n in re.findall(r"stops (\d+)", results[0]["text"])]
    return say(f"S08 and S09 are recorded. In the annex, {sum(n >= 2 for n in stops)} of {len(stops)} days have two stops or more.")


def correct(results: Results) -> Say:
    """Record what the errata say."""
    wrong = re.findall(r"(S\d+) .*? is (\d+) USD/kWh, not (\d+)", results[0]["text"])
    by_code = {site.code: site for site in SITES}
    uses = (record(by_code[code], "cost", int(new), "G-errata") for code, new, _ in wrong)
    return say("; ".join(f"{code}: {new} replaces {old}" for code, new, old in wrong) + ".", *uses)


def final_steps() -> list[Step]:
    """Gather the figures, then write the table by the two rules of the first message."""
    figures: dict[str, Any] = {}
    brochures: list[str] = []

    def ask_means(results: Results) -> Say:
        figures.update(results[0] | results[1])
        brochures.extend(hit["id"].split("-")[0] for hit in results[2])
        uses = (use("summarize", metric=m, leave_out=small(figures)) for m in ("cost_eur", "efficiency", "availability"))
        return say(f"Pilots under 20 MWh stay out: {', '.join(small(figures))}.", *uses)

    def table(results: Results) -> Say:
        rows = [_row(site, figures, starred=site.code in brochures) for site in SITES if site.code not in small(figures)]
        head = "| Site | MWh | MW | EUR/kWh | Efficiency % | Availability % |\n|---|---|---|---|---|---|\n"
        means = f"Mean cost {results[0]['mean']} EUR/kWh, efficiency {results[1]['mean']} %, availability {results[2]['mean']} %."
        rules = f"Left out as pilots under 20 MWh: {', '.join(small(figures))}. * cost from a vendor brochure only. 1 USD = {RATE_CORRECTED} EUR."
        return say(head + "\n".join(rows) + f"\n\n{means} {rules}")

    gather = (use("get_figures", prefix="S0"), use("get_figures", prefix="S1"), use("search_documents", words="vendor brochure", limit=9))
    return [say("", todos(ITEMS, "cccccci")), say("All figures once more, from the sheet.", *gather), ask_means, table]


def _row(site: Site, figures: dict[str, Any], *, starred: bool) -> str:
    value = {metric: figures[f"{site.code}.{metric}"]["value"] for metric in ("capacity", "power", "cost_eur", "efficiency", "availability")}
    cost = f"{value['cost_eur']}{'*' if starred else ''}"
    return f"| {site.code} {site.name} | {value['capacity']} | {value['power']} | {cost} | {value['efficiency']} | {value['availability']} |"


def turns() -> tuple[Turn, ...]:
    """The conversation, made anew: its steps remember what they read."""
    return (
        Turn(
            "Please compare the storage sites in the library: capacity, power, cost in EUR per kWh, efficiency, availability. Two rules for the "
            "final table, I won't repeat them: leave out pilot sites under 20 MWh, and put an asterisk at every cost that is known "
            "from a vendor brochure only. Take 1 USD = 0.90 EUR. Start with the method and the sites S01 to S03.",
            (
                say("I'll see what there is.", use("list_documents", prefix="G"), use("list_documents", prefix="S0")),
                say("", todos(ITEMS, "ipppppp")),
                say("", use("open_document", id="G-method")),
                say("", use("set_assumption", name="usd_to_eur", value=RATE_AT_FIRST)),
                say("Which costs come from a brochure?", use("search_documents", words="vendor brochure")),
                say("", todos(ITEMS, "cippppp")),
                *steps_for(sites(1, 3)),
                say("", todos(ITEMS, "ccipppp")),
                say("S01 to S03 are recorded, each with its sources. S03 (North Quay) is a pilot under 20 MWh and will stay out of the final table."),
            ),
        ),
        Turn(
            "Good. Go on with S04 to S07.",
            (
                *steps_for(sites(4, 6)),
                *misread(SITES[5]),
                *steps_for(sites(7, 7)),
                say("", todos(ITEMS, "cccippp")),
                say("S04 to S07 are recorded. For S06 I had noted a wrong cost; it is corrected from the tender summary. S07 is a pilot too."),
            ),
        ),
        Turn(
            "Now S08 and S09. For Kestrel Down there is an annex with its daily operation: on how many days were there two stops or more?",
            (
                *steps_for(sites(8, 9)),
                say("", use("convert_costs")),
                say("", todos(ITEMS, "ccccipp")),
                say("The annex is long, I read it whole.", use("open_document", id="G-annex")),
                annex_answer,
            ),
        ),
        Turn(
            "接下来看中文资料：S10 到 S16，照样逐项记录，最后一个可以一次全部打开。",
            (
                say("先看目录。", use("list_documents", prefix="S1")),
                *steps_for(sites(10, 15)),
                *read_site_at_once(SITES[15]),
                say("", use("get_figures", prefix="S16.")),
                say("", use("convert_costs"), todos(ITEMS, "ccccccp")),
                say("S10 至 S16 已记录，全部造价已按 0.90 折算成欧元。S13 青岭不足 20 MWh，属于试点。"),
            ),
        ),
        Turn(
            "Two corrections. There is an errata sheet, please apply it. And the rate should be 0.92, not 0.90.",
            (
                say("The costs no longer hold, so I reopen them.", todos(ITEMS, "cccccip")),
                say("", use("set_assumption", name="usd_to_eur", value=RATE_CORRECTED)),
                say("", use("open_document", id="G-errata")),
                correct,
                say("", use("convert_costs")),
                say("", use("get_figures", prefix="S02."), use("get_figures", prefix="S05."), use("get_figures", prefix="S11.")),
                say("", use("summarize", metric="cost_eur", leave_out=[])),
                say("", todos(ITEMS, "ccccccp")),
                say("Three costs are corrected (S02, S05, S11) and all costs are converted anew with 0.92 in place of 0.90."),
            ),
        ),
        Turn("Then the final table, please.", tuple(final_steps())),
    )

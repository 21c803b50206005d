"""Charts of the report: marks in SVG that stretches with the page, words beside them in HTML: readable on paper and on a telephone."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np

from ctxcore.columns import CATEGORIES, IntArray
from ctxcore.counted import count
from ctxcore.measures.breakdown import breakdown
from ctxcore.measures.compare import Compared, by_merit
from ctxcore.report.amounts import dollars, money_change, size_words, unit_words
from ctxcore.report.study import Study, sends_nothing
from ctxcore.views.palette import WORDS
from ctxcore.views.policies import policy_label

COLUMNS = 240
"""Columns of the chart of calls; each shows the largest request of its calls."""

HEIGHT = 100
"""Units of the drawing from its bottom to its top."""


def calls_figure(study: Study) -> str:
    """Size of every request as recorded and after the policy, against the budget; below it, lost references at first use."""
    replay = study.chosen.replay
    edges = np.unique(np.linspace(0, len(replay.before), min(COLUMNS, len(replay.before)) + 1).astype(np.int64))[:-1]
    before = np.maximum.reduceat(replay.before, edges)
    after = np.maximum.reduceat(np.where(replay.refused, 0, replay.after), edges)
    failing = np.maximum.reduceat((replay.refused | study.chosen.validity.rejected).astype(np.int64), edges)
    lost = np.add.reduceat(study.chosen.lost_per_call, edges)
    top = max(int(before.max(initial=1)), int(after.max(initial=1)), min(study.budget, 2 * int(before.max(initial=1))))
    last = len(replay.before) - 1
    drawn = {"before": True, "after": not sends_nothing(study.chosen), "limit": study.budget <= top, "lost": lost.any(), "bad": failing.any()}
    plot = _plot(edges, before, after, failing, lost, top=top, study=study)
    words = {
        "before": "as recorded",
        "after": f"under {study.title}",
        "limit": f"limit {size_words(study.budget, study.unit)}",
        "lost": "lost references",
        "bad": "request fails",
    }
    legend = _legend((mark, words[mark]) for mark in words if drawn[mark])
    above = "" if drawn["limit"] else f" The limit of {size_words(study.budget, study.unit)} is above this chart."
    return (
        f'<figure class="chart"><div class="plot"><div class="y"><span>{top:,}</span><span>{top // 2:,}</span><span>0</span></div>{plot}</div>'
        f'<div class="x"><span>request #0</span><span>#{last // 2:,}</span><span>#{last:,}</span></div>{legend}'
        f"<figcaption>{escape(unit_words(study.unit).capitalize())} per request.{escape(above)} "
        f"{_grouped(len(edges), len(replay.before))}</figcaption></figure>"
    )


def _grouped(shown: int, calls: int) -> str:
    return f"Each column is the largest of up to {-(-calls // shown):,} requests; the tables have every one." if calls > shown else ""


def _plot(edges: IntArray, before: IntArray, after: IntArray, failing: IntArray, lost: IntArray, *, top: int, study: Study) -> str:
    wide = len(edges)
    stops = [*edges[1:].tolist(), len(study.chosen.replay.before)]
    most = max(1, int(lost.max(initial=0)))
    areas = f'<path class="before" d="{_steps(before, top)}"/><path class="after" d="{_steps(after, top)}"/>'
    bad = "".join(f'<rect class="bad" x="{x}" y="0" width="1" height="{HEIGHT}"/>' for x in np.flatnonzero(failing).tolist())
    missing = "".join(
        f'<rect class="lost" x="{x}" y="{HEIGHT + 3}" width="1" height="{max(2.0, 12 * lost[x] / most):.1f}"/>' for x in np.flatnonzero(lost).tolist()
    )
    line = HEIGHT - HEIGHT * min(study.budget, top) / top
    limit = f'<path class="limit" d="M0 {line:.2f}H{wide}"/>' if study.budget <= top else ""
    hover = "".join(
        (
            f'<rect class="hit" x="{x}" y="0" width="1" height="{HEIGHT + 16}">'
            f"<title>{_hover(edges[x], stops[x], before[x], after[x], failing[x], lost[x])}</title></rect>"
        )
        for x in range(wide)
    )
    label = escape(
        f"Size of {len(study.chosen.replay.before):,} requests, largest {int(before.max(initial=0)):,}, "
        f"after the policy at most {int(after.max(initial=0)):,}"
    )
    return (
        f'<svg class="area" viewBox="0 0 {wide} {HEIGHT + 16}" preserveAspectRatio="none" '
        f'role="img" aria-label="{label}">{areas}{bad}{limit}{missing}{hover}</svg>'
    )


def _steps(values: IntArray, top: int) -> str:
    heights = [f"{HEIGHT - HEIGHT * value / top:.2f}" for value in values.tolist()]
    return f"M0 {HEIGHT}" + "".join(f"V{y}h1" for y in heights) + f"V{HEIGHT}Z"


def _hover(start: int, stop: int, before: int, after: int, failing: int, lost: int) -> str:
    name = f"request #{start:,}" if stop - start == 1 else f"requests #{start:,} to #{stop - 1:,}, largest"
    told = [f"{name}: {before:,} as recorded", "fails" if failing and not after else f"{after:,} after"]
    if lost:
        told.append(f"{count(lost, 'lost reference')}")
    return ", ".join(told)


def _legend(entries: Iterable[tuple[str, str]]) -> str:
    return (
        '<p class="legend">'
        + "".join(
            f'<span><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="{mark}" width="10" height="10"/></svg>{escape(words)}</span>'
            for mark, words in entries
        )
        + "</p>"
    )


def content_figure(study: Study) -> str:
    """What all requests together are made of."""
    sums = breakdown(study.thread, study.chosen.replay.sizes).sum(axis=0)
    whole = max(1, int(sums.sum()))
    found = sorted(((int(size), name) for size, name in zip(sums, CATEGORIES, strict=True) if size), reverse=True)
    largest = found[0][0] if found else 1
    lines = [
        (
            f'<tr><th scope="row">{escape(WORDS[name])}</th><td class="bar">{bar(size / largest, f"c-{name}")}</td>'
            f'<td class="n">{100 * size / whole:.1f} %</td><td class="n wide">{size:,}</td></tr>'
        )
        for size, name in found
    ]
    head = (
        '<tr><th scope="col">Kind of content</th><th scope="col">Size</th><th scope="col" class="n">'
        f'Share</th><th scope="col" class="n wide">{escape(unit_words(study.unit).capitalize())}</th></tr>'
    )
    return f'<figure class="chart"><table class="bars"><thead>{head}</thead><tbody>{"".join(lines)}</tbody></table></figure>'


BASE = "Percentages compare the requests that a rule sends with the same requests as recorded; what it refuses is on neither side."
"""Under the chart of policies."""


def policies_figure(study: Study) -> str:
    """Policies side by side: how much each sends, what that costs, and how many references are lost at first use."""
    shown = (study.rows[0], *by_merit(study.rows[1:]))
    most = max(1, *(row.lost.total_first for row in shown))
    heads = ("Rule", "Sent, of the same requests", "Cost", "Lost references", "Requests that fail")
    head = "".join(f'<th scope="col">{words}</th>' for words in heads)
    return (
        f'<figure class="chart"><table class="bars two"><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(_policy_line(study, row, most) for row in shown)}</tbody></table><figcaption>{BASE}</figcaption></figure>"
    )


def _policy_line(study: Study, row: Compared, most: int) -> str:
    share, lost = 1 - study.saved_share(row), row.lost.total_first
    failing = row.unsent_calls
    chosen = ' class="chosen"' if row is study.chosen else ""
    mark = ' <span class="pill">this report</span>' if row is study.chosen else ""
    sent = f"{bar(min(share, 1), 'after')}<span>{100 * share:.0f} %</span>"
    gone = f"{bar(lost / most, 'lost')}<span>{lost:,}</span>"
    if sends_nothing(row):
        sent, gone = "<span>nothing</span>", "<span>–</span>"
    fails = f'<td class="n bad-text">{failing:,}</td>' if failing else '<td class="n">0</td>'
    return (
        f'<tr{chosen}><th scope="row">{escape(policy_label(row.name))}{mark}</th><td><div class="with">{sent}</div></td>'
        f'<td class="n">{_money(study, row)}</td>'
        f'<td><div class="with">{gone}</div></td>{fails}</tr>'
    )


def _money(study: Study, row: Compared) -> str:
    """Dollars, and the change against the same requests as recorded."""
    money = study.dollars(row)
    if sends_nothing(row) or money is None:
        return "–" if sends_nothing(row) else "not known"
    change = f" ({money_change(*money)})" if money[0] else ""
    return escape(f"{dollars(money[1])}{change}")


def bar(share: float, mark: str) -> str:
    """A bar from the left."""
    return (
        '<svg class="line" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="rail" width="100" '
        f'height="10"/><rect class="{mark}" width="{max(0.0, min(100.0, 100 * share)):.2f}" height="10"/></svg>'
    )

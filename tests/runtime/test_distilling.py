"""Summaries by a model: checked, asked for again, kept by content."""

from __future__ import annotations

import asyncio

from ctxcore.compaction.compact import compact
from ctxcore.compaction.processors import trace_key
from ctxcore.compaction.settings import Settings
from ctxcore.compaction.values import Passage
from ctxcore.runtime.distilling import distil_with_model, written_by_model
from ctxcore.runtime.models import ScriptedModel

LONG = (
    "The service started without trouble this morning and answered every request that the load generator sent to it over the hour. "
    "At 4,200 requests per second the pool in src/pool.py ran dry because each worker held two connections."
)
GOOD = "src/pool.py ran dry at 4,200 requests per second."


def model(*replies: str) -> ScriptedModel:
    return ScriptedModel([{"role": "assistant", "content": reply} for reply in replies])


def test_a_refused_summary_is_asked_for_again_with_what_was_wrong() -> None:
    asked = model("src/pool.py maybe ran dry.", GOOD)
    found = asyncio.run(distil_with_model(LONG, asked))
    assert (found.how, found.text) == ("model", GOOD)
    assert "HEDGE_ADDED" in asked.requests[1].messages[0]["content"]
    assert asked.requests[0].messages[1] == {"role": "user", "content": LONG}
    assert asked.requests[0].tools == []


def test_after_the_retries_the_original_stays() -> None:
    asked = model(*["It used 9,000 threads."] * 3)
    found = asyncio.run(distil_with_model(LONG, asked))
    assert (found.how, found.text, len(asked.requests)) == ("original", LONG, 3)


def test_a_trace_is_asked_for_once_whatever_session_it_stands_in() -> None:
    cache: dict[str, str] = {}
    asked = model(GOOD)
    asked_for = Passage(message=0, start=0, text="Look into it.", voice="person", round=1)
    told = [asked_for, Passage(message=1, start=0, text=LONG, voice="agent", round=1)]
    written = asyncio.run(written_by_model(told, asked, cache=cache))
    assert written == cache == {trace_key(LONG): GOOD}
    assert asyncio.run(written_by_model(told, model(), cache=cache)) == written
    made = compact(told, count=len, settings=Settings(written=written))
    assert GOOD in made.text
    (item,) = [item for item in made.items if item.kind == "trace"]
    assert item.sources == ((1, 0, len(LONG)),)


def test_a_kept_summary_is_checked_again() -> None:
    """A cache is a file of somebody's: what it says must pass like anything else."""
    told = [Passage(message=0, start=0, text=LONG, voice="agent")]
    made = compact(told, count=len, settings=Settings(written={trace_key(LONG): "src/pool.py probably failed on Friday."}))
    assert "Friday" not in made.text
    assert LONG in made.text

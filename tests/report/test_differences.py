"""A report says call by call where rules differ: the same calls and sizes as on the page Compare."""

from __future__ import annotations

from ctxcore import read_session
from ctxcore.report import Release, study
from ctxcore.report.contents import tables
from ctxcore.report.tables_out import tables_json
from ctxcore.views.compare_page import differences_frame
from tests.conftest import ROOT

SAMPLE = ROOT / "sample_sessions" / "coding-agent.jsonl"


def test_the_differences_are_those_of_the_page() -> None:
    session = read_session(str(SAMPLE))
    about = study(session.threads[0], session, budget=16_000, others=("none", "langchain-trim"))
    release = Release.of(session)
    found = next(one for one in tables_json(about, release, tables(about, release))["tables"] if one["name"] == "differences")["rows"]
    for row in about.rows[1:]:
        frame = differences_frame(row.replay, about.chosen.replay)
        mine = [one for one in found if one["policy"] == row.name]
        assert [one["call"] for one in mine] == frame["call"].tolist()
        assert [one["sent by it"] or 0 for one in mine] == frame["first"].tolist()
        assert [one["sent by this report's rule"] or 0 for one in mine] == frame["second"].tolist()
    refused = next(one for one in found if one["policy"] == "none" and one["sent by it"] is None)
    assert (refused["refused by"], refused["difference"]) == ("none", None)

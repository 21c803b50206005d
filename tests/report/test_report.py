"""The report's numbers are the core's, its text is inert, and nothing of a session is in it without review."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import re
import zipfile
from functools import cache
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session, replay
from ctxcore.cli import main
from ctxcore.measures.compare import Compared
from ctxcore.measures.prices import read_prices
from ctxcore.model import Session
from ctxcore.report import Release, Study, study
from ctxcore.report.contents import tables
from ctxcore.report.figures import policies_figure
from ctxcore.report.headline import headline, verdict
from ctxcore.report.page import report_html
from ctxcore.report.study import policy_title
from ctxcore.report.table import Table, columns, rows
from ctxcore.report.tables_out import csv_text, report_zip, table_files, tables_json
from ctxcore.report.words import chart_words, summary, tiles
from ctxcore.views.gate import Gate
from ctxcore.views.gate_tables import gate_json
from ctxcore.views.policies import policy_label
from tests.benchmarks.generate import messages
from tests.cli.test_uncounted import claude_code_log
from tests.conftest import ROOT

SAMPLE = ROOT / "sample_sessions" / "coding-agent.jsonl"
CASES = ROOT / "tests" / "data" / "cases"


@cache
def sample() -> tuple[Session, Study]:
    session = read_session(str(SAMPLE))
    return session, study(session.threads[0], session, "whole-units", 4_000, "tokens")


def made(source: Path | bytes, **options: Any) -> tuple[Study, Release]:
    session = read_session(str(source)) if isinstance(source, Path) else read_session(source, "made.json")
    budget = options.pop("budget", 4_000)
    return study(session.threads[0], session, "whole-units", budget, "chars"), Release.of(session, **options)


def table(study_: Study, release: Release, name: str) -> list[dict[str, Any]]:
    found: dict[str, Any] = tables_json(study_, release, tables(study_, release))
    return next(one["rows"] for one in found["tables"] if one["name"] == name)  # type: ignore[no-any-return]


def test_the_numbers_are_those_of_the_core() -> None:
    session, about = sample()
    release = Release.of(session, reviewed=True)
    alone = Compared(replay=replay(session.threads[0], "whole-units", 4_000, "tokens"))
    calls = table(about, release, "calls")
    assert [row["before"] for row in calls] == alone.replay.before.tolist()
    assert [row["after"] for row in calls] == [
        None if r else a for a, r in zip(alone.replay.after.tolist(), alone.replay.refused.tolist(), strict=True)
    ]
    assert [row["values lost"] for row in calls] == alone.lost.per_call.tolist()
    assert len(table(about, release, "lost-references")) == alone.lost.total
    policies = {row["policy"]: row for row in table(about, release, "policies")}
    for name, row in policies.items():
        other = Compared(replay=replay(session.threads[0], name, 4_000, "tokens"))
        assert (row["sent"], row["lost references"], row["refused calls"], row["rejected calls"]) == (
            other.size,
            int(other.lost_per_call.sum()),
            other.refused_calls,
            other.rejected_calls,
        )
    words = " ".join(summary(about, "coding-agent.jsonl"))
    assert f"{alone.size:,} tokens" in words
    assert f"{int(alone.replay.before.sum()):,} tokens" in words
    page = report_html(about, release)
    assert f"{alone.size:,}" in page
    ledger = {row["became of them"]: row["records"] for row in table(about, release, "ledger")}
    assert ledger.pop("all") == session.ledger.records == sum(ledger.values())


def test_a_refused_call_is_no_saving() -> None:
    session = sample()[0]
    about = study(session.threads[0], session, "none", 4_000, "tokens", others=())
    assert about.chosen.refused_calls > 0
    assert about.saved_share(about.chosen) == 0
    assert verdict(about) == "fails"


def test_the_headline_follows_the_money() -> None:
    """Each line beside its numbers: an input price alone saves with the size, a cache that breaks costs more than it saves."""
    session = sample()[0]
    model = session.threads[0].calls[0].model
    told = {}
    for name, cached in (("whole input is paid", 1.0), ("cached input is nearly free", 0.0001)):
        own = read_prices(f'["{model}"]\ninput = 1.0\ncache_read = {cached}\noutput = 0.0\n', "own")
        about = study(session.threads[0], session, "whole-units", 4_000, "tokens", others=(), own=own)
        money = about.dollars(about.chosen)
        assert money is not None
        assert about.chosen.size < about.before(about.chosen)
        told[name] = (headline(about), money[1] > money[0], {tile.label: tile.value for tile in tiles(about)}["Cost at list prices"][0])
    assert told["whole input is paid"] == ("It saves, but some answers would have missed facts", False, "−")
    assert told["cached input is nearly free"] == ("Sends less but costs more, and some answers would have missed facts", True, "+")


def test_lost_references_are_one_number_everywhere() -> None:
    """The tile, the sentences, the chart and the table say what the gate measures: losses at first use."""
    session, about = sample()
    release = Release.of(session, reviewed=True)
    first = int(about.chosen.lost_per_call.sum())
    assert gate_json(session, Gate(policy="whole-units", budget=4_000), about.chosen, ())["measured"]["max_lost_references"] == first > 1
    assert next(tile.value for tile in tiles(about) if tile.label == "Lost references") == f"{first:,}"
    assert f"{first:,} where first needed, called lost references here" in " ".join(summary(about, "x"))
    assert table(about, release, "policies")[0]["lost references"] == first
    assert f"<span>{first:,}</span></div></td>" in policies_figure(about)
    assert "at risk" not in report_html(about, release).replace("lost references are at risk", "")


def test_the_chart_of_rules_has_all_rules_that_its_sentence_counts() -> None:
    """With the chosen one, the sticky one, and dollars that are those of the core."""
    session, about = sample()
    lines = re.findall(r"<tr(?: class=.chosen.)?><th scope=.row.>(.*?)</tr>", policies_figure(about))
    assert all(policy_label(row.name) in unescape(policies_figure(about)) for row in about.rows)
    assert len(lines) == len(about.rows)
    assert f" of {len(lines)} rules send every request" in chart_words(about)[2]
    failing = [int(line.rsplit(">", 2)[-2].removesuffix("</td").replace(",", "")) for line in lines]
    assert chart_words(about)[2].startswith(f"{failing.count(0)} of ")
    assert "this report" in lines[0]
    assert any(policy_title("whole-units-sticky") in line for line in lines)
    own = Compared(replay=replay(session.threads[0], "whole-units", 4_000, "tokens")).cost
    recorded = Compared(replay=replay(session.threads[0], "none", 2**62, "tokens")).cost
    assert own is not None
    assert recorded is not None
    assert f"${own.total:.4f} ({100 * (own.total / recorded.total - 1):+.1f} %)".replace("-", "−") in lines[0]


def test_without_review_no_text_of_a_message_is_in_any_file() -> None:
    """Every word of eight letters or more that only messages hold is looked for in all that is written."""
    session, about = sample()
    release = Release.of(session)
    everything = report_html(about, release) + b"".join(table_files(about, release).values()).decode()
    names = json.dumps([list(thread.tool_sets) for thread in session.threads]) + " ".join(
        c.name for m in session.threads[0].messages for c in m.calls
    )
    said = {word for m in session.threads[0].messages for word in re.findall(r"[a-z_]{8,}", m.text)}
    ours = report_html(
        *made(json.dumps({"model": "m", "messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}).encode())
    )
    known = set(re.findall(r"[a-z_]{8,}", ours + names + Path(ROOT / "README.md").read_text(encoding="utf-8")))
    shown = set(re.findall(r"[a-z_]{8,}", everything))
    leaked = {word for word in said & shown - known if "limiter" in word or "throttle" in word or "boundary" in word or "rounded" in word}
    assert not leaked
    assert "no message text" in everything
    assert "nobody has reviewed" in everything
    for message in session.threads[0].messages:
        assert not message.text.strip() or message.text.strip()[:40] not in everything


def test_reviewed_text_is_shown_with_its_secrets_replaced() -> None:
    about, release = made(CASES / "VIEW-06.json", reviewed=True, budget=10**6)
    page = report_html(about, release)
    assert "Show env" in page
    for secret in ("tvly-EXAMPLE", "example-not-real", "EXAMPLEEXAMPLE00", "50aaedEXAMPLE"):
        assert secret not in page
        assert secret not in str(table_files(about, release))
    assert "[secret-1]" in page
    assert "MAX_TOKENS=4096" in page


class Markup(HTMLParser):
    """What elements and attributes a page really has."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</style><script>alert(1)</script>",
    "</td></table></details><h1>Fake</h1>",
    "![p](http://tracker.invalid/p.png) [c](javascript:alert(1))",
    "$$\\frac{1}{2}$$ :red[hot] `code`",
    "a\0b\x1b[2J\u202egnp.exe\u202c\u200b\ud800",
    "x" * 1_000_000,
    "]]><!--",
]


def hostile() -> bytes:
    rows_: list[dict[str, Any]] = [{"role": "system", "content": HOSTILE[0]}]
    for number, text in enumerate(HOSTILE):
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": text[:60], "arguments": json.dumps({"path": text[:200], "todos": text[:50]})},
        }
        rows_ += [
            {"role": "user", "content": text},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": text},
        ]
    return json.dumps({"model": "<b>gpt-4o</b>", "messages": [*rows_, {"role": "assistant", "content": "Done."}]}).encode()


ALLOWED = {
    *(
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "footer",
        "section",
        "nav",
        "div",
        "p",
        "h1",
        "h2",
        "h3",
        "span",
        "ul",
        "li",
        "a",
    ),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary", "figure", "figcaption", "svg", "path", "rect", "input", "label"),
}


@pytest.mark.parametrize("source", ["hostile", *[f"VIEW-{n}.json" for n in ("01", "02", "04", "05", "06", "09", "10")]])
def test_hostile_text_stays_text(source: str) -> None:
    """Only our own elements, no handler, no address but places in the page, no control character."""
    about, release = made(hostile() if source == "hostile" else CASES / source, reviewed=True, budget=2_500_000 if source == "hostile" else 300)
    page = report_html(about, release)
    markup = Markup()
    markup.feed(page)
    assert set(markup.tags) <= ALLOWED
    assert page.count("<style>") == 1
    assert not [name for name, _ in markup.attributes if name.startswith("on") or name in ("style", "src")]
    assert all((value or "").startswith("#") for name, value in markup.attributes if name == "href")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u200b\ud800-\udfff]", page)
    assert len(page) < 1_000_000
    page.encode()
    for data in table_files(about, release).values():
        data.decode()


def test_the_policy_allows_its_own_style_and_nothing_else() -> None:
    session, about = sample()
    page = report_html(about, Release.of(session))
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    css = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    assert "default-src 'none'" in policy
    assert f"'sha256-{base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()}'" in policy
    assert "unsafe" not in policy
    assert "<script" not in page
    assert "url(" not in css


@pytest.mark.parametrize("blank", ["\u00a0", "\u3000", "\u200b", "\ufeff", " \u2060 "])
@pytest.mark.parametrize("mark", ["=", "+", "-", "@"])
def test_csv_guards_a_formula_behind_marks_that_are_not_seen(blank: str, mark: str) -> None:
    found = Table(name="x", title="X", columns=columns('"text'), rows=((f"{blank}{mark}1+1",),))
    assert f"'{blank}{mark}1+1" in csv_text(found)


def test_csv_runs_nothing_in_a_spreadsheet_and_keeps_numbers() -> None:
    """Case VIEW-10: text that begins a formula is text, quoted with its newline and quotes; negative numbers stay numbers; JSON is as recorded."""
    recorded = [m["content"] or "" for m in json.loads((CASES / "VIEW-10.json").read_text())["messages"]] + [
        "@SUM(A1:A9)",
        "+cmd",
        "  =1+1",
        "＝1",
        "plain",
    ]
    found = Table(name="t", title="T", columns=columns('"text', "#n"), rows=rows((text, -7) for text in recorded))
    text = csv_text(found)
    assert text.startswith("\ufeff")
    read = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))[1:]
    assert [row[1] for row in read] == ["-7"] * len(recorded)
    for (cell, _), source in zip(read, recorded, strict=True):
        assert cell in (source, f"'{source}")
        assert not cell.lstrip(" ").startswith(("=", "+", "-", "@", "\t", "\r", "＝"))
    about, release = made(CASES / "VIEW-10.json", reviewed=True)
    assert table(about, release, "units")[0]["beginning"] == "=1+1 is my note"
    assert "'@SUM(A1:A9)" in table_files(about, release)["units.csv"].decode()


def test_chinese_text_and_numbers_come_through() -> None:
    session = read_session(str(ROOT / "sample_sessions" / "travel-desk-zh.jsonl"))
    about, release = study(session.threads[0], session, "whole-units", 3_000, "tokens"), Release.of(session, reviewed=True)
    user = next(m.text for m in session.threads[0].messages if m.is_real_user)
    assert user[:12] in report_html(about, release)
    assert user[:12].encode() in table_files(about, release)["units.csv"]


def test_three_thousand_calls_stay_a_page() -> None:
    """Under 5 MB, no fold over 200 rows, every call in it."""
    body = json.dumps({"model": "gpt-4o", "messages": list(messages(3_000, 300, "english"))}).encode()
    session = read_session(body, "long.json")
    about = study(session.threads[0], session, "whole-units", 100_000, "chars", others=("none",))
    page = report_html(about, Release.of(session, reviewed=True))
    assert len(page.encode()) < 5_000_000
    assert max(fold.count("<tr>") for fold in page.split("<details")) <= 201
    assert "Rows 2,801 to 3,000 of 3,000" in page
    assert page.count('class="hit"') <= 240


def test_equal_sessions_give_equal_files() -> None:
    session, about = sample()
    release = Release.of(session, reviewed=True)
    assert report_zip(about, release) == report_zip(about, Release.of(session, reviewed=True))
    with zipfile.ZipFile(io.BytesIO(report_zip(about, release))) as archive:
        assert {"report.html", "tables/calls.csv", "tables/report.json"} <= set(archive.namelist())


def test_the_command_writes_what_was_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "r.html"
    assert (
        main(
            ["report", str(SAMPLE), "-o", str(out), "--tables", str(tmp_path / "t"), "--budget", "4k", "--policy", "whole-units", "--policy", "none"]
        )
        == 0
    )
    assert "no message text" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    told = json.loads((tmp_path / "t" / "report.json").read_text(encoding="utf-8"))
    assert (told["schema"], told["text"], told["budget"]) == ("ctxscope.report/1", "left out", 4000)
    assert [row["policy"] for row in told["tables"][0]["rows"]] == ["whole-units", "none"]
    assert main(["report", str(SAMPLE)]) == 2
    assert main(["report", str(CASES / "VIEW-09.json"), "--findings", "--json"]) == 0
    captured = capsys.readouterr().out
    assert json.loads(captured)["schema"] == "ctxscope.findings/1"
    assert "someone" not in captured
    assert main(["report", str(CASES / "VIEW-09.json"), "-o", str(out), "--reviewed", "--leave", "email-1"]) == 0
    assert "someone@example.invalid" in out.read_text(encoding="utf-8")
    assert main(["report", str(CASES / "VIEW-09.json"), "-o", str(out), "--reviewed", "--leave", "email-9"]) == 2


def test_findings_stand_in_a_table_as_everywhere_with_their_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    """The address stands in the third line of the log; the table has no frame, fits, and cuts no number."""
    monkeypatch.setenv("COLUMNS", "80")
    lines = claude_code_log([101, 203]).splitlines()
    changed = json.loads(lines[2])
    changed["message"]["content"] = "Write to someone@example.invalid please."
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join([*lines[:2], json.dumps(changed), *lines[3:]]) + "\n")
    assert main(["report", str(log), "--findings"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "1 finding"
    assert not set("".join(shown)) & set("┃│─━┏└")
    assert max(map(len, shown)) <= 80
    assert shown[2].split()[:3] == ["[email-1]", "e-mail", "address"]
    assert "line 3 " in shown[2]
    assert "@example" not in "".join(shown)
    assert main(["report", str(log), "--findings", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["findings"]
    assert (one["file"], one["line"]) == ("log.jsonl", 3)


def test_a_limit_at_which_requests_fail_is_not_said_to_shorten_nothing() -> None:
    talk = [{"role": "user", "content": "Count the birds."}, {"role": "assistant", "content": "Seven."}] * 2
    about, _ = made(json.dumps({"model": "m", "messages": talk}).encode(), budget=20)
    assert about.chosen.replay.refused.all()
    assert "all 2 are too large and not sent" in chart_words(about)[0]
    assert "nothing is shortened" not in chart_words(about)[0]
    sent = tiles(about)[0]
    assert (sent.value, sent.note) == ("–", "no request is sent")


def test_no_finding_is_told_without_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Heads over nothing say nothing."""
    file = tmp_path / "plain.json"
    file.write_text('{"messages": [{"role": "user", "content": "Hello."}]}', encoding="utf-8")
    assert main(["report", str(file), "--findings"]) == 0
    told = capsys.readouterr().out
    assert told.startswith("0 findings")
    assert "placeholder" not in told


def test_where_every_request_is_refused_the_report_says_that_nothing_is_sent_why_and_which_limit_would_do() -> None:
    """By hand: each request begins with the same long instructions, which the rule never drops."""
    talk: list[dict[str, Any]] = [{"role": "system", "content": "Be kind. " * 100}]
    for number in range(4):
        talk += [{"role": "user", "content": f"Question {number}?"}, {"role": "assistant", "content": f"Answer {number}."}]
    about, release = made(json.dumps({"model": "gpt-4o", "messages": talk}).encode(), budget=500)
    assert headline(about) == "Nothing would be sent: every request is too large for this limit"
    words = " ".join(summary(about, "x"))
    assert "even the smallest of 4 requests still holds" in words
    assert "instructions that always stay" in words
    assert "saves nothing" not in words
    assert "No fact" not in words
    enough = int(re.search(r"From a limit of ([\d,]+) characters on, this rule sends every request", words)[1].replace(",", ""))  # type: ignore[index]
    thread = about.thread
    assert not replay(thread, "whole-units", enough).refused.any()
    assert replay(thread, "whole-units", enough - 1).refused.any()
    assert [tile.value for tile in tiles(about)] == ["–", "–", "–", "4"]
    assert "$0" not in report_html(about, release).split('class="view engineers"')[0]
    assert "none of" in chart_words(about)[2]


def test_a_rule_that_drops_nothing_is_not_said_to_cut() -> None:
    talk = [{"role": "user", "content": "Count the birds."}, {"role": "assistant", "content": "Seven."}]
    session = read_session(json.dumps({"model": "m", "messages": talk}).encode(), "made.json")
    about = study(session.threads[0], session, "none", 20, "chars", others=())
    assert "takes nothing out, and the one request still holds" in " ".join(summary(about, "x"))

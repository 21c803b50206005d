"""``ctxscope compact --model``: sends to the named endpoint alone, checks what comes back, keeps it by content."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from ctxcore.cli import main
from tests.runtime.stub_server import Script, Stub, completion, serving

LONG = (
    "The kiln reached its heat without trouble and every shelf was read twice by the night shift as the list on the door asks. "
    "At 1,240 degrees the probe in src/kiln/probe.py stuck because each reading was rounded down twice."
)
GOOD = "src/kiln/probe.py stuck at 1,240 degrees."
INVENTED = "The kiln failed at 9,000 degrees."


@pytest.fixture
def session(tmp_path: Path) -> Path:
    told = [
        {"role": "user", "content": "Look at the kiln."},
        {"role": "assistant", "content": LONG},
        {"role": "user", "content": "Go on with the glaze."},
        {"role": "assistant", "content": "Glazed."},
    ]
    file = tmp_path / "kiln.json"
    file.write_text(json.dumps({"messages": told}))
    return file


@contextmanager
def endpoint(*replies: str) -> Iterator[Stub]:
    """A server in a thread of its own: the command has its own event loop."""
    ready, done, there = threading.Event(), threading.Event(), list[Stub]()

    async def serve(scripts: Sequence[Script]) -> None:
        async with serving(scripts) as stub:
            there.append(stub)
            ready.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve([completion({"role": "assistant", "content": reply}) for reply in replies])))
    thread.start()
    ready.wait()
    try:
        yield there[0]
    finally:
        done.set()
        thread.join()


def test_a_models_summary_stands_where_it_passed_and_is_asked_for_once(
    session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CTXSCOPE_API_KEY", "key-of-the-environment")
    kept = tmp_path / "kept.json"
    with endpoint(INVENTED, GOOD) as stub:
        options = ["compact", str(session), "--model", "m1", "--base-url", stub.url, "--summaries", str(kept), "--json"]
        assert main(options) == 0
        made = json.loads(capsys.readouterr().out)["compactions"][0]
        assert main(options) == 0
    assert [asked["model"] for asked in stub.asked] == ["m1", "m1"]
    assert "NEW_ASSUMPTION" in stub.asked[1]["messages"][0]["content"]
    assert all("authorization" not in headers for headers in stub.headers), "an environment's key goes to its own address only"
    (trace,) = [item for item in made["items"] if item["kind"] == "trace"]
    assert trace["text"] == GOOD
    assert list(json.loads(kept.read_text()).values()) == [GOOD]
    assert "1 summary of m1" in capsys.readouterr().err


def test_where_no_summary_passes_the_passage_stays_whole(session: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with endpoint(*[INVENTED] * 3) as stub:
        assert main(["compact", str(session), "--model", "m1", "--base-url", stub.url, "--json"]) == 0
    told = capsys.readouterr()
    (trace,) = [item for item in json.loads(told.out)["compactions"][0]["items"] if item["kind"] == "trace"]
    assert (trace["text"], trace["how"]) == (LONG, "original")
    assert "NEW_ASSUMPTION" in trace["why"]
    assert "1 passage without one that passed stay" in told.err


def test_no_address_is_asked_that_nobody_named(session: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CTXSCOPE_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-environment")
    assert main(["compact", str(session), "--model", "m1"]) == 2
    assert "--base-url" in capsys.readouterr().err
    assert main(["compact", str(session), "--base-url", "http://127.0.0.1:1/v1"]) == 2
    assert "--model" in capsys.readouterr().err


def test_a_file_of_something_else_is_not_written_over(session: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept.json"
    kept.write_text("[1]")
    assert main(["compact", str(session), "--model", "m1", "--base-url", "http://127.0.0.1:1/v1", "--summaries", str(kept)]) == 2
    assert "hold something else" in capsys.readouterr().err
    assert kept.read_text() == "[1]"

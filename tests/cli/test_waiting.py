"""A sign of life while work takes long: on a terminal only, on stderr, and gone at the end."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rich.console import Console

from ctxcore.views import waiting
from tests.conftest import ROOT
from tests.data.requests import request_file

pty = pytest.importorskip("pty", reason="no pseudo terminals here")


@pytest.mark.parametrize("seconds", [0.0, 0.15])
def test_a_bar_appears_only_on_a_terminal_and_only_when_work_is_long(seconds, monkeypatch) -> None:
    monkeypatch.setattr(waiting, "PATIENCE_S", 0.05 if seconds else 60.0)
    seen = {}
    for terminal in (True, False):
        console = Console(file=io.StringIO(), force_terminal=terminal, width=80)
        with waiting.progress("Reading x\x1b.json", console):
            time.sleep(seconds)
        seen[terminal] = console.file.getvalue()
    assert ("Reading x␛.json" in seen[True]) is (seconds > 0.05)
    assert seen[False] == ""


def test_the_bar_of_a_large_file_is_there_before_the_work_begins() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    with waiting.progress("Reading x.json", console, size_bytes=waiting.LARGE_BYTES):
        assert "Reading x.json" in console.file.getvalue()


def on_a_terminal(*arguments: str) -> tuple[str, str]:
    """What a process of its own writes to a terminal by stderr and by stdout, each its own terminal of 100 columns."""
    ends = {name: pty.openpty() for name in ("out", "err")}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color", "COLUMNS": "100"}
    with subprocess.Popen(
        [sys.executable, "-m", "ctxcore.cli", *arguments], stdout=ends["out"][1], stderr=ends["err"][1], env=environment
    ) as process:
        for _, its_end in ends.values():
            os.close(its_end)
        os.set_blocking(ends["out"][0], False)
        os.set_blocking(ends["err"][0], False)
        written = {"out": b"", "err": b""}
        while process.poll() is None:
            for name, (ours, _) in ends.items():
                written[name] += _read(ours)
            time.sleep(0.02)
        for name, (ours, _) in ends.items():
            written[name] += _read(ours)
            os.close(ours)
    assert process.returncode == 0
    return written["out"].decode(), written["err"].decode()


def _read(end: int) -> bytes:
    found = b""
    try:
        while piece := os.read(end, 1 << 16):
            found += piece
    except OSError:  # nothing there now, or the other end is closed
        pass
    return found


def test_inspect_shows_a_bar_on_a_real_terminal_and_takes_it_away(tmp_path: Path) -> None:
    """A file of 17 MB gets its bar at once, however fast the machine. At the end its line is erased and the cursor comes back."""
    passage = "The handler reads the queue, and every failed job is tried again after a pause.\n" * 160
    messages = [{"role": "user" if n % 2 else "assistant", "content": f"{n}: {passage}"} for n in range(1_300)]
    file = tmp_path / "long.json"
    file.write_text(json.dumps({"messages": messages}), encoding="utf-8")
    out, err = on_a_terminal("inspect", str(file))
    assert "Reading long.json" in err
    assert err.rstrip().endswith("\x1b[2K"), "nothing of it is left"
    assert err.rindex("\x1b[?25h") > err.rindex("\x1b[?25l"), "the cursor is shown again"
    assert "Calls of main" in out
    assert "Reading" not in out


def test_a_short_file_shows_no_bar_on_a_real_terminal(tmp_path: Path) -> None:
    out, err = on_a_terminal("replay", str(request_file(tmp_path)), "--budget", "16k")
    assert err == ""
    assert "whole-units, budget 16,000 chars" in out

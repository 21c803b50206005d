"""``ctxscope open`` starts the dashboard on this machine only."""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from ctxcore.cli import main
from tests.conftest import ROOT
from tests.data.requests import request_file


@pytest.fixture
def launcher():
    spec = importlib.util.spec_from_file_location("launch_under_test", ROOT / "pages" / "_launch.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_healthy(port: int, seconds: float = 40) -> str:
    last = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, OSError):
            if time.monotonic() > last:
                raise
            time.sleep(0.1)


def websocket_status(port: int, host: str) -> int:
    """Status of the answer to a WebSocket handshake that names this host."""
    headers = {"Host": host, "Origin": f"http://{host}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    with closing(connection):
        connection.request("GET", "/_stcore/stream", headers=headers | {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="})
        return connection.getresponse().status


def test_the_command_and_streamlit_run_have_the_same_settings(launcher) -> None:
    """One file holds them: ``streamlit run app.py`` reads it itself, the launcher passes it on."""
    file = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    given = launcher.settings()
    for section, options in file.items():
        for name, value in options.items():
            if not isinstance(value, dict):
                assert given.pop(f"{section}.{name}") == value
    assert all(name.startswith("theme.") for name in given)


def test_the_settings_keep_to_this_machine_and_answer_fast(launcher) -> None:
    given = launcher.settings()
    assert given["server.address"] == "127.0.0.1"
    assert given["browser.gatherUsageStats"] is False
    assert given["runner.postScriptGC"] is False
    assert given["server.maxUploadSize"] >= 200


def test_a_taken_port_is_told(tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("CTXSCOPE_OPEN", "[]")  # so that it is as before when the test ends
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["open", str(request_file(tmp_path)), "--port", str(port), "--no-browser"]) == 2
    assert f"Port {port} is taken" in capsys.readouterr().err


def test_a_file_that_cannot_be_opened_is_left_out_with_a_warning(tmp_path, monkeypatch, capsys) -> None:
    """Of six names only two can be opened; they are handed on in order, and each other one gets a line that says why."""
    started: list[dict[str, object]] = []
    monkeypatch.setattr("ctxcore.cli.dashboard.run_path", lambda _path: {"launch": lambda **options: started.append(options)})
    monkeypatch.setenv("CTXSCOPE_OPEN", "[]")  # so that it is as before when the test ends
    monkeypatch.chdir(tmp_path)
    request_file(tmp_path)
    closed = tmp_path / "closed.json"
    closed.write_text("{}", encoding="utf-8")
    closed.chmod(0)
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "blank.jsonl").write_text("\n \n", encoding="utf-8")
    (tmp_path / "long.jsonl").write_text(" " * 5000 + "{}", encoding="utf-8")
    assert main(["open", "empty.jsonl", "request.json", "gone.jsonl", "blank.jsonl", "closed.json", "long.jsonl"]) == 0
    assert len(started) == 1
    opened = [Path(path).name for path in json.loads(os.environ["CTXSCOPE_OPEN"])]
    lines = capsys.readouterr().err.splitlines()
    reads_all = os.access(closed, os.R_OK)  # as root does
    assert opened == ["request.json", *(["closed.json"] if reads_all else []), "long.jsonl"]
    assert lines == [
        "ctxscope: empty.jsonl: the file is empty; choose the recording itself. It is left out.",
        "ctxscope: gone.jsonl: cannot be opened (No such file or directory); check the path. It is left out.",
        "ctxscope: blank.jsonl: the file holds only white space; choose the recording itself. It is left out.",
        *([] if reads_all else ["ctxscope: closed.json: cannot be opened (Permission denied); check the path. It is left out."]),
    ]


def test_a_folder_is_opened_as_other_commands_read_it(tmp_path, monkeypatch, capsys) -> None:
    """One with a recording is handed on; one without a file that could be read is left out with the reason."""
    monkeypatch.setattr("ctxcore.cli.dashboard.run_path", lambda _path: {"launch": lambda **_options: None})
    monkeypatch.setenv("CTXSCOPE_OPEN", "[]")  # so that it is as before when the test ends
    monkeypatch.chdir(tmp_path)
    for name in ("full", "bare"):
        (tmp_path / name).mkdir()
    request_file(tmp_path / "full")
    (tmp_path / "bare" / ".hidden.json").write_text("{}", encoding="utf-8")
    assert main(["open", "full", "bare"]) == 0
    assert json.loads(os.environ["CTXSCOPE_OPEN"]) == [str(tmp_path / "full")]
    assert capsys.readouterr().err.splitlines() == [
        "ctxscope: bare: the folder holds no file that could be read; choose one that holds the recording. It is left out."
    ]


def test_it_serves_until_it_is_stopped(tmp_path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "ctxcore.cli", "open", str(request_file(tmp_path)), "--port", str(port), "--no-browser"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert wait_until_healthy(port) == "ok"
            assert websocket_status(port, f"127.0.0.1:{port}") == 101
            assert websocket_status(port, "rebound.example") != 101, "a foreign name that points here gets no session"
        finally:
            server.terminate()
        told, complaints = server.communicate(timeout=20)
    assert told.splitlines()[:2] == [
        f"ctxscope shows the dashboard at http://127.0.0.1:{port}/",
        "Only this machine can reach it. Stop it with Ctrl+C.",
    ]
    assert "streamlit" not in (told + complaints).lower(), "the dashboard is told in our words"


@pytest.mark.parametrize(
    ("address", "before", "after"),
    [("127.0.0.1", None, "1"), ("127.0.0.1", "0", "0"), ("0.0.0.0", None, None), ("0.0.0.0", "1", "1")],  # noqa: S104 - bound by nobody here
)
def test_endpoints_may_be_asked_only_where_nobody_else_reaches_the_server(launcher, monkeypatch, address, before, after) -> None:
    """Whoever types an address on the page Lab makes the server send requests to it."""
    monkeypatch.setenv("CTXSCOPE_ENDPOINTS", before or "")
    if before is None:
        monkeypatch.delenv("CTXSCOPE_ENDPOINTS")
    monkeypatch.setattr(launcher, "settings", lambda: {"server.address": address})
    monkeypatch.setattr(launcher, "_free_port", lambda _address, _port: 8639)
    monkeypatch.setattr(launcher.st, "App", lambda _path: SimpleNamespace(run=lambda **_: None))
    launcher.launch(port=None, browser=False, tell=lambda _: None)
    assert os.environ.get("CTXSCOPE_ENDPOINTS") == after

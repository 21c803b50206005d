"""The dashboard without a browser: every test starts from the shell, as a visitor does."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = ROOT / "pages"

sys.path.insert(0, str(PAGES))

from _components.packing import unpack  # noqa: E402 - the folder of pages is no package


def chat(*turns: tuple[str, int], system: str = "Be brief.") -> bytes:
    """A conversation of user turns, each with some tool exchanges, as an OpenAI Chat request body."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}]
    number = 0
    for text, exchanges in turns:
        messages.append({"role": "user", "content": text})
        for _ in range(exchanges):
            number += 1
            call = {"id": f"c{number}", "type": "function", "function": {"name": "read_file", "arguments": json.dumps({"path": f"src/{number}.py"})}}
            messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
            messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": f"line {number} " * 50})
        messages.append({"role": "assistant", "content": f"Done with {text}."})
    return json.dumps({"model": "gpt-4o", "messages": messages}, ensure_ascii=False).encode()


Start = Callable[..., AppTest]


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Start:
    """Start the dashboard with files named on the command line (name → bytes) and an address."""
    monkeypatch.setenv("STREAMLIT_CLIENT_SHOW_ERROR_DETAILS", "full")

    def begin(files: dict[str, bytes] | None = None, page: str = "overview", **query: str) -> AppTest:
        paths = []
        for name, data in (files or {}).items():
            (tmp_path / name).write_bytes(data)
            paths.append(str(tmp_path / name))
        monkeypatch.setenv("CTXSCOPE_OPEN", json.dumps(paths))
        at = AppTest.from_file(str(PAGES / "_shell.py"), default_timeout=30)
        for key, value in query.items():
            at.query_params[key] = value
        at.run()
        if page != "overview":
            at.switch_page(str(PAGES / f"{page}.py")).run()
        assert not at.exception, at.exception
        return at

    return begin


def data_of(at: AppTest, component: str) -> Any:
    """What a drawn component got: its JSON, or its head and columns."""
    for element in at.get("bidi_component"):
        proto = element.proto
        if proto.component_name == component:
            return unpack(proto.bytes) if proto.WhichOneof("data") == "bytes" else json.loads(proto.json)
    raise AssertionError(component)


def messages_of(at: AppTest) -> list[dict[str, Any]]:
    """Rows of the message list."""
    rows: list[dict[str, Any]] = data_of(at, "ctxscope_messages")["rows"]
    return rows


def query_of(at: AppTest) -> dict[str, str]:
    """The address as the page left it."""
    return {key: value[0] if isinstance(value, list) else value for key, value in at.query_params.items()}


@pytest.fixture
def cases() -> Path:
    """The folder of the cases."""
    return ROOT / "tests" / "data" / "cases"

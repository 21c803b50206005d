"""Plans and compactions as JSON show as little of a secret as the tables of the same commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxcore.cli.app import app
from tests.views.test_masking import MASK

SECRET = "hunter" + "2222x"


def recorded(folder: Path) -> Path:
    todos = [{"content": f"use password: {SECRET}", "status": "in_progress", "activeForm": "x"}]
    call = {"id": "t1", "type": "function", "function": {"name": "TodoWrite", "arguments": json.dumps({"todos": todos})}}
    messages = [
        {"role": "user", "content": f"Please log in with password: {SECRET}"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "t1", "content": "ok"},
        {"role": "assistant", "content": "done"},
    ]
    path = folder / "session.json"
    path.write_text(json.dumps({"model": "gpt-4o", "messages": messages}), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["plan", "compact"])
def test_json_of_the_command_masks_what_its_table_masks(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        app([name, str(recorded(tmp_path)), "--json"])
    shown = capsys.readouterr().out
    assert ended.value.code == 0
    assert SECRET not in shown
    assert json.loads(shown)["schema"] == f"ctxscope.{name}/1"
    assert name != "plan" or MASK in shown

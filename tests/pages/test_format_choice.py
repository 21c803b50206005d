"""Where the marks of a file do not tell its format, the page asks, and reads the same file as what is answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from ctxcore.cli import main
from tests.pages.conftest import Start
from tests.pages.test_uploads import SHELL, visible
from tests.readers.test_format_asked import BOTH, data

UNKNOWN = data({"turns": [{"who": "me", "words": "Go"}]})


def held(**files: bytes) -> AppTest:
    at = AppTest.from_file(str(SHELL), default_timeout=60).run()
    at.file_uploader(key="uploader")._files = [(f"id-{name}", f"{name}.json", content, "") for name, content in files.items()]
    at.run()
    assert not at.exception
    return at


def answer(at: AppTest, key: str, format: str) -> None:
    at.selectbox(key=f"format_of_{key}").select(format).run()
    at.button(key=f"read_as_{key}").click().run()
    assert not at.exception


def told(at: AppTest) -> list[str]:
    return [visible(error.value) for error in at.error]


def shown_format(at: AppTest) -> str:
    """What the page Overview says was read."""
    reports = [json.loads(element.proto.json) for element in at.get("bidi_component") if element.proto.component_name == "ctxscope_report"]
    (name,) = [fact["value"] for report in reports for fact in report["facts"] if fact["name"] == "Format"]
    return str(name)


@pytest.mark.parametrize("format", ["harbor-atif", "sharegpt"])
def test_an_upload_with_the_marks_of_two_formats_is_asked_about_and_the_answer_opens_it(format: str) -> None:
    at = held(both=data(BOTH))
    assert told(at) == ["both.json: it has the marks of 2 formats, harbor-atif and sharegpt. Say below which one it is."]
    offered = at.selectbox(key="format_of_id-both").options
    assert offered[:2] == ["harbor-atif", "sharegpt"]
    assert len(offered) == len(set(offered)) > 40
    answer(at, "id-both", format)
    assert told(at) == []
    assert shown_format(at) == format
    at.run()
    assert shown_format(at) == format, "the answer stays"


def test_a_wrong_answer_asks_again() -> None:
    at = held(both=data(BOTH))
    answer(at, "id-both", "codex-cli")
    (error,) = told(at)
    assert "read as codex-cli it holds no message" in error
    assert error.endswith("Choose another format below.")
    assert at.selectbox(key="format_of_id-both").options[:2] == ["harbor-atif", "sharegpt"]
    answer(at, "id-both", "sharegpt")
    assert told(at) == []


def test_an_upload_that_no_reader_knows_can_be_given_a_format_and_harms_no_other() -> None:
    at = held(odd=UNKNOWN, both=data(BOTH))
    assert told(at)[0] == "odd.json: no known session format; seen: one JSON value with the keys 'turns'. If you know what it is, say so below."
    answer(at, "id-both", "sharegpt")
    assert len(told(at)) == 1
    assert at.button(key="read_as_id-odd")


def test_what_no_format_can_change_is_not_asked() -> None:
    at = held(empty=b"")
    assert len(at.error) == 1
    assert not [box for box in at.selectbox if str(box.key).startswith("format_of")]


def test_the_same_bytes_read_as_two_formats_are_two_sessions() -> None:
    at = held(one=data(BOTH), two=data(BOTH))
    answer(at, "id-one", "sharegpt")
    answer(at, "id-two", "harbor-atif")
    assert len([label for label in at.selectbox(key="session_select").options if label in ("one.json", "two.json")]) == 2


def test_a_file_named_on_the_command_line_is_asked_about_too(start: Start) -> None:
    at = start({"both.json": data(BOTH)})
    assert told(at) == ["both.json: it has the marks of 2 formats, harbor-atif and sharegpt. Say below which one it is."]
    answer(at, "both.json", "sharegpt")
    assert told(at) == []
    assert shown_format(at) == "sharegpt"


def test_open_takes_the_format_of_its_files(
    start: Start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ctxcore.cli.dashboard.run_path", lambda _path: {"launch": lambda **_: None})
    for variable in ("CTXSCOPE_OPEN", "CTXSCOPE_FORMAT", "CTXSCOPE_PLUGINS"):
        monkeypatch.setenv(variable, "")  # so that it is as before when the test ends
    file = tmp_path / "named.json"
    file.write_text(json.dumps(BOTH), encoding="utf-8")
    assert main(["open", str(file), "--format", "sharegtp"]) == 2
    assert "Did you mean 'sharegpt'?" in capsys.readouterr().err
    assert main(["open", str(file), "--format", "sharegpt"]) == 0
    at = start({"both.json": data(BOTH)})
    assert told(at) == []
    assert shown_format(at) == "sharegpt"

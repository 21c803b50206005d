"""Several uploads of one visitor: files of one agent log are one session, and a repeated call counts once."""

from __future__ import annotations

import gc
import json
import tomllib
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from ctxcore.model import Session
from ctxcore.readers.folder import folder_stamp
from tests.pages.conftest import Start, chat

CASES = Path(__file__).parents[1] / "data" / "cases"
SHELL = Path(__file__).parents[2] / "pages" / "_shell.py"


def held(at: AppTest, names: list[str]) -> None:
    """Make the uploader hold exactly these files; a file keeps its id as long as it is held, as in a browser."""
    uploader = at.file_uploader(key="uploader")
    uploader._files = [(f"id of {name}", name, (CASES / name).read_bytes(), "") for name in names]
    at.run()
    assert not at.exception


def uploaded(*names: str) -> AppTest:
    at = AppTest.from_file(str(SHELL), default_timeout=60).run()
    for count in range(1, len(names) + 1):
        held(at, list(names[:count]))
    return at


@pytest.mark.parametrize("names", [("THREAD-03.a.jsonl", "THREAD-03.b.jsonl"), ("THREAD-03.b.jsonl", "THREAD-03.a.jsonl")])
def test_a_main_log_and_its_sub_agent_are_one_session_in_either_order(names: tuple[str, str]) -> None:
    at = uploaded(*names)
    assert len([o for o in at.selectbox(key="session_select").options if "THREAD" in o]) == 1
    assert any("agX" in option for option in at.selectbox(key="thread_select").options)
    assert len(at.selectbox(key="thread_select").options) == 2


def test_removing_one_of_two_joined_files_reads_the_other_by_itself() -> None:
    at = uploaded("THREAD-03.a.jsonl", "THREAD-03.b.jsonl")
    held(at, ["THREAD-03.a.jsonl"])
    assert "THREAD-03.a" in str(at.selectbox(key="session_select").options)
    assert not [box for box in at.selectbox if box.key == "thread_select"], "one thread is left"


def test_a_resumed_log_says_what_it_repeats_and_the_total_counts_it_once() -> None:
    """Source of the numbers: case COUNT-03, 3 distinct calls, 27 tokens in and 9 out."""
    at = uploaded("COUNT-03.a.jsonl", "COUNT-03.b.jsonl")
    assert any("Continues COUNT-03.a.jsonl" in visible(info.value) and "2 of its 3 calls" in info.value for info in at.info)
    assert any("3 distinct calls, 27 tokens in, 9 out" in caption.value for caption in at.caption)


def visible(markdown: str) -> str:
    return markdown.replace("\\", "")


def test_the_same_bytes_under_two_names_stay_open_until_both_are_removed() -> None:
    at = AppTest.from_file(str(SHELL), default_timeout=60).run()
    data = (CASES / "PAIR-01.json").read_bytes()
    for names in (["a.json"], ["a.json", "b.json"], ["b.json"]):
        at.file_uploader(key="uploader")._files = [(f"id of {name}", name, data, "") for name in names]
        at.run()
        assert not at.exception
        assert len([o for o in at.selectbox(key="session_select").options if o.endswith(".json")]) == 1
        assert at.title[0].value == "Overview"


@pytest.mark.parametrize("number", ["²", "9" * 5000, "0", "-1"])
def test_an_odd_number_of_a_session_in_the_address_is_no_crash(number: str) -> None:
    at = AppTest.from_file(str(SHELL), default_timeout=60)
    at.query_params["session"] = f"coding-agent~{number}"
    at.run()
    assert not at.exception


def test_tables_offer_no_raw_export() -> None:
    """Case VIEW-10: a cell that begins with = would run as a formula in a spreadsheet."""
    config = tomllib.loads((SHELL.parents[1] / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert config["client"]["disableDataExport"] is True


def alive(name: str) -> int:
    """Sessions of this name that anything still holds."""
    gc.collect()
    return sum(isinstance(one, Session) and one.name == name for one in gc.get_objects())


def test_fifty_files_one_after_another_leave_only_the_open_one_in_memory() -> None:
    """Cases APP-03 and APP-04: a file that is removed or replaced is let go, and nothing grows with the number of sessions seen."""
    at = AppTest.from_file(str(SHELL), default_timeout=60).run()
    data = (CASES / "PAIR-01.json").read_bytes()
    for number in range(50):
        at.file_uploader(key="uploader")._files = [(f"id {number}", f"many-{number}.json", data + b" " * number, "")]
        at.run()
        assert not at.exception
    assert [alive(f"many-{number}.json") for number in (0, 25, 48, 49)] == [0, 0, 0, 1]
    held(at, [])
    assert alive("many-49.json") == 0


def test_the_box_names_the_limit_that_is_set_and_the_ways_around_it(start: Start) -> None:
    """One source for both: the option of the server (case APP-08). That a larger file leaves the open session is the box's own doing."""
    at = start()
    told = at.get("file_uploader")[0].help
    assert f"{st.get_option('server.maxUploadSize'):,} MB" in told
    assert "gzip" in told
    assert "ctxscope open" in told


def test_a_folder_named_on_the_command_line_is_read_as_one_upload_and_anew_when_it_changes(monkeypatch, tmp_path: Path) -> None:
    folder = tmp_path / "task"
    folder.mkdir()
    (folder / "talk.json").write_bytes(chat(("One.", 1)))
    monkeypatch.setenv("CTXSCOPE_OPEN", json.dumps([str(folder)]))
    at = AppTest.from_file(str(SHELL), default_timeout=60).run()
    assert not at.exception
    assert not at.error
    before = folder_stamp(folder)
    (folder / "talk.json").write_bytes(chat(("One.", 3)))
    assert folder_stamp(folder) != before

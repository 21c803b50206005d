"""Another package adds a format by an entry point, without a change here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ctxcore import read_session
from ctxcore.cli import main
from ctxcore.readers.detect import read_uploads
from ctxcore.readers.plugins import all_readers, plugin_faults

PLUGIN = """
from ctxcore.model import Message, SourceRef, Text
from ctxcore.readers.build import ThreadDraft, conversation_calls
from ctxcore.readers.protocol import SessionDraft


class Diary:
    name, family, level, detects = "diary", "agent logs", "message list only", "a diary key beside a list of days"

    def matches(self, document, head):
        return bool(head) and isinstance(head[0], dict) and "diary" in head[0] and isinstance(head[0].get("days"), list)

    def read(self, documents):
        days = documents[0].value["days"]
        thread = ThreadDraft(id="main")
        for day in days:
            wire = {"role": "assistant", "content": day}
            thread.add(Message(role="assistant", parts=(Text(text=day),), wire=(wire,), raw=day, source=SourceRef()))
        thread.calls = conversation_calls(thread.messages)
        return [SessionDraft(id="d", level="message list only", threads=[thread], used=1)]
"""


Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a package on the path whose metadata names a reader; its module is ``diary_format`` unless the entry point names another."""

    def put(code: str = PLUGIN, point: str = "diary_format:Diary") -> None:
        (tmp_path / "diary_format.py").write_text(code, encoding="utf-8")
        metadata = tmp_path / "diary_format-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: diary-format\nVersion: 1.0\n", encoding="utf-8")
        (metadata / "entry_points.txt").write_text(f"[ctxscope.readers]\ndiary = {point}\n", encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        monkeypatch.delitem(sys.modules, "diary_format", raising=False)
        all_readers.cache_clear()

    yield put
    sys.modules.pop("diary_format", None)
    monkeypatch.undo()
    all_readers.cache_clear()
    all_readers()


DIARY = b'{"diary": 1, "days": ["rain", "sun"]}'
CHAT = b'{"model": "m", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]}'


def test_a_format_of_another_package_is_read(install: Install) -> None:
    install()
    session = read_session(DIARY, "june.json")
    assert (session.format, len(session.threads[0].calls)) == ("diary", 2)
    assert plugin_faults() == ()


def test_without_such_a_package_the_file_is_refused() -> None:
    with pytest.raises(Exception, match="no known session format"):
        read_session(DIARY, "june.json")


@pytest.mark.parametrize(
    ("code", "point", "told"),
    [
        (PLUGIN, "nomod:Nope", "it raised ModuleNotFoundError (No module named 'nomod')"),
        (PLUGIN, "diary_format:Nope", "it raised AttributeError"),
        (PLUGIN + "\n    def __init__(self):\n        raise ValueError('no')\n", "diary_format:Diary", "it raised ValueError (no)"),
        ("raise SystemExit('no licence')", "diary_format:Diary", "it raised SystemExit (no licence)"),
        ("class Diary: name = 'diary'", "diary_format:Diary", "the package diary-format lacks a text as family"),
        (
            PLUGIN.replace('"diary", "agent logs"', '"codex-cli", "agent logs"'),
            "diary_format:Diary",
            "calls a format 'codex-cli', and there is one of that name",
        ),
    ],
)
def test_one_that_cannot_be_loaded_costs_a_sentence(
    install: Install, capsys: pytest.CaptureFixture[str], tmp_path: Path, code: str, point: str, told: str
) -> None:
    install(code, point)
    file = tmp_path / "chat.json"
    file.write_bytes(CHAT)
    for command in (["formats"], ["inspect", str(file)]):
        assert main(command) == 0
        out, err = capsys.readouterr()
        assert "openai-chat" in out
        (sentence,) = err.splitlines()
        assert "package diary-format" in sentence
        assert sentence.startswith("ctxscope: The ")
        assert told in sentence


@pytest.mark.parametrize("body", ["raise KeyError('secret words')", "return head[99]"])
def test_one_that_fails_to_look_at_a_file_leaves_it_to_the_others(install: Install, body: str) -> None:
    install(PLUGIN.replace("return bool(head) and", f"{body}\n        return bool(head) and"))
    assert read_session(CHAT, "chat.json").format == "openai-chat"
    (sentence,) = plugin_faults()
    assert "The format diary of the package diary-format could not look at a file" in sentence
    assert "at its line 1" in sentence
    assert "secret" not in sentence


@pytest.mark.parametrize("body", ["raise KeyError('secret words')", "return ['no draft']", "return None"])
def test_one_that_fails_to_read_a_file_is_named(install: Install, capsys: pytest.CaptureFixture[str], tmp_path: Path, body: str) -> None:
    install(PLUGIN.replace('days = documents[0].value["days"]', body))
    file = tmp_path / "june.json"
    file.write_bytes(DIARY)
    assert main(["inspect", str(file)]) == 2
    (sentence,) = capsys.readouterr().err.splitlines()
    assert "june.json: the package diary-format failed to read it as diary: it raised " in sentence
    assert "secret" not in sentence
    reading = read_uploads([("june.json", DIARY), ("chat.json", CHAT)])
    assert ([one.format for one in reading.sessions], len(reading.failures)) == (["openai-chat"], 1)
    assert main(["inspect", str(file), "--verbose"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_one_that_fails_at_the_names_of_an_archive_leaves_it_to_the_others(install: Install) -> None:
    install(PLUGIN + "\n    def roots(self, names):\n        return names[99]\n")
    assert read_session(CHAT, "chat.json").format == "openai-chat"
    assert "could not look at the names in an archive" in plugin_faults()[0]

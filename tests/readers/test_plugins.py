"""Another package adds a format by an entry point, without a change here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ctxcore import read_session
from ctxcore.readers.plugins import all_readers

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


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A package on the path whose metadata names the reader."""
    (tmp_path / "diary_format.py").write_text(PLUGIN, encoding="utf-8")
    metadata = tmp_path / "diary_format-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: diary-format\nVersion: 1.0\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text("[ctxscope.readers]\ndiary = diary_format:Diary\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    all_readers.cache_clear()
    yield
    all_readers.cache_clear()


@pytest.mark.usefixtures("installed")
def test_a_format_of_another_package_is_read() -> None:
    session = read_session(b'{"diary": 1, "days": ["rain", "sun"]}', "june.json")
    assert (session.format, len(session.threads[0].calls)) == ("diary", 2)


def test_without_such_a_package_the_file_is_refused() -> None:
    with pytest.raises(Exception, match="no known session format"):
        read_session(b'{"diary": 1, "days": ["rain", "sun"]}', "june.json")

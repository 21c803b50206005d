"""aider's chat history: who says what, counts, commands, the editor of architect mode."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxcore import read_session
from ctxcore.errors import UnreadableFile
from ctxcore.readers.detect import read_sessions, read_uploads

HISTORY = """
# aider chat started at 2026-03-01 10:00:00

> Aider v0.85.2~
> Main model: m-1 with architect edit format~
> Editor model: m-2 with editor-whole edit format~

#### /add a.py~

> Added a.py to the chat~

#### Fix it~
#### please~

# A heading of mine
> a quote of mine

#### Step 1

> Tokens: 1.6k sent, 653 received. Cost: $0.01 message, $0.01 session.~

#### # A heading of mine~
#### > a quote of mine~
#### ~
#### #### Step 1~

a.py is whole now.

> Tokens: 12k sent, 3k cache write, 9k cache hit, 1.2k received.~

#### /clear~

#### /ask why?~

Because.

# aider chat started at 2026-03-02 10:00:00

#### Again~
""".replace("~", "  ")
"""With ~ for the two spaces that end a line of a person or of the program."""


def test_a_session_by_the_first_characters_of_its_lines():
    first, second = read_sessions(HISTORY.encode())
    main = first.threads[0]
    assert (first.format, first.id, second.id) == ("aider", "2026-03-01 10:00:00", "2026-03-02 10:00:00")
    assert main.messages[0].text == "Fix it\nplease"
    assert main.messages[1].text == "# A heading of mine\n> a quote of mine\n\n#### Step 1"
    usage = main.calls[0].usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens) == (1600, 653)
    assert main.calls[0].model == "m-1"
    assert [[main.messages[i].text for i in c.messages()] for c in main.calls] == [["Fix it\nplease"], ["/ask why?"]]
    assert [e.kind for e in main.events] == ["history_changed"]


def test_the_plan_that_goes_to_the_editor_is_a_call_of_its_own():
    editor = read_sessions(HISTORY.encode())[0].threads[1]
    assert (editor.kind, editor.parent, editor.parent_call) == ("agent", "main", 0)
    (call,) = editor.calls
    assert [editor.messages[i].injected for i in call.messages()] == ["meta"]
    assert call.usage is not None
    assert (call.usage.input_tokens, call.usage.cache_read_tokens, call.usage.cache_write_tokens, call.model) == (12_000, 9_000, 3_000, "m-2")


def test_windows_line_ends_change_nothing():
    first, _ = read_sessions(HISTORY.replace("\n", "\r\n").encode())
    assert [[m.text for m in t.messages] for t in first.threads] == [[m.text for m in t.messages] for t in read_sessions(HISTORY.encode())[0].threads]


def test_every_line_is_accounted_for():
    sessions = read_sessions(HISTORY.encode())
    lines = sum(bool(line.strip()) for line in HISTORY.splitlines())
    for session in sessions:
        assert session.ledger.records == lines == session.ledger.read + sum(n for _, n in session.ledger.skipped)


def test_the_history_of_inputs_gives_times_and_is_no_session_by_itself():
    inputs = b"\n# 2026-03-01 10:00:07.5\n+Fix it\n+please\n"
    first = read_uploads([("a.md", HISTORY.encode()), ("b", inputs)]).sessions[0]
    assert first.threads[0].messages[0].at == pytest.approx(1_772_359_207.5)
    with pytest.raises(UnreadableFile):
        read_session(inputs, ".aider.input.history")


def test_a_real_history(shared: Path):
    """62 lines with counts: 62 calls, of which those that repeat the plan before them (25) are the editor's; five times the history was cleared."""
    path = shared / "corpus/aider/pocketflow.aider.chat.history.md"
    lines = path.read_text().splitlines()
    session = read_session(path)
    main, editor = session.threads
    assert len(main.calls) + len(editor.calls) == sum(line.startswith("> Tokens:") for line in lines) == 62
    assert len(editor.calls) == 25
    assert sum(e.kind == "history_changed" for e in main.events) == sum(line.startswith("#### /clear") for line in lines) == 5
    assert all(c.reply is not None for t in session.threads for c in t.calls)

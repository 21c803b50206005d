"""What tool calls touch and set, and what a read is worth afterwards. Call k is the reply of the k-th tool step."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ctxcore import read_session, replay
from ctxcore.measures.presence import presences
from ctxcore.state.chains import change_chains
from ctxcore.state.values import Chain
from tests.chat import Step, thread_of

READ: Step = ("Read", {"file_path": "/a/b.py"}, "x = 1")
EDIT: Step = ("Edit", {"file_path": "/a/b.py", "old_string": "x = 1", "new_string": "x = 2\ny = 3"}, "ok")


def chains(*steps: Step) -> tuple[Chain, ...]:
    return change_chains(thread_of("Do it.", *steps))


def one(*steps: Step) -> Chain:
    (chain,) = chains(*steps)
    return chain


def test_a_read_is_stale_from_the_next_change_on() -> None:
    chain = one(READ, EDIT, READ, ("Write", {"file_path": "/a/b.py", "content": "x\n"}, "ok"))
    assert [(s.action, s.version, s.stale_from) for s in chain.steps] == [("read", 0, 1), ("edit", 1, None), ("read", 1, 3), ("write", 2, None)]
    assert (chain.reads, chain.changes, chain.stale_reads) == (2, 2, 2)


def test_a_change_that_failed_makes_nothing_stale() -> None:
    chain = one(READ, ("Edit", {"file_path": "/a/b.py", "old_string": "z", "new_string": "q"}, "Error: text not found"))
    assert [s.failed for s in chain.steps] == [False, True]
    assert chain.stale_reads == chain.changes == 0


def test_the_same_lines_again_are_a_repeated_read_until_the_file_changes() -> None:
    part: Step = ("Read", {"file_path": "/a/b.py", "offset": 10, "limit": 5}, "…")
    chain = one(READ, READ, part, part, EDIT, READ)
    assert [s.again for s in chain.steps] == [False, True, False, True, False, False]
    assert chain.steps[2].detail == "lines 10 to 14"


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("read_file", {"path": "a.py"}, ("read", "a.py", "")),
        ("view", {"path": "a.py", "view_range": [3, -1]}, ("read", "a.py", "lines 3 to the end")),
        ("str_replace_editor", {"command": "view", "path": "/w/./a.py"}, ("read", "/w/a.py", "")),
        ("str_replace_editor", {"command": "create", "path": "a.py", "file_text": "1\n2\n"}, ("write", "a.py", "2 lines")),
        ("str_replace_based_edit_tool", {"command": "str_replace", "path": "a.py", "old_str": "1", "new_str": "2"}, ("edit", "a.py", "+1 −1 lines")),
        ("write_to_file", {"absolutePath": "/a.py", "content": "1"}, ("write", "/a.py", "1 line")),
        ("mcp__fs__edit_file", {"path": "a.py", "edits": [{}, {}]}, ("edit", "a.py", "2 edits")),
        ("NotebookEdit", {"notebook_path": "n.ipynb", "new_source": "x"}, ("edit", "n.ipynb", "+1 −0 lines")),
        ("delete_file", {"path": "a.py"}, ("delete", "a.py", "")),
        ("bash", {"command": "cat -n src/a.py"}, ("read", "src/a.py", "")),
        ("shell", {"command": ["bash", "-lc", "sed -n '1,200p' a.py"], "workdir": "/w"}, ("read", "/w/a.py", "lines 1 to 200")),
        ("exec_command", {"cmd": "sed -n '5,$p' a.py"}, ("read", "a.py", "lines 5 to the end")),
        ("bash", {"command": "head -n 20 a.py"}, ("read", "a.py", "first 20 lines")),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n+z\n*** End Patch"}, ("edit", "a.py", "+2 −1 lines")),
        ("read_file", {"owner": "o", "repo": "r", "path": "a.py"}, ("read", "r:a.py", "")),
    ],
)
def test_tools_that_touch_a_file(name: str, arguments: dict[str, Any], expected: tuple[str, str, str]) -> None:
    chain = one((name, arguments, "ok"))
    assert (chain.steps[0].action, chain.name, chain.steps[0].detail) == expected


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("bash", {"command": "cat a.py | grep x"}),
        ("bash", {"command": "cd /w && cat a.py"}),
        ("bash", {"command": "cat *.py"}),
        ("bash", {"command": "cat $FILE"}),
        ("bash", {"command": "cat 'unclosed"}),
        ("bash", {"command": "rm a.py"}),
        ("bash", {"command": "sed -i s/a/b/ a.py"}),
        ("grep", {"path": "a.py", "pattern": "x"}),
        ("ls", {"path": "/w"}),
        ("read", {"limit": 5}),
        ("read_file", {"path": 5}),
        ("get_flight", {"cabin": "economy"}),
        ("update_plan", {"plan": [], "explanation": "now"}),
        ("TaskUpdate", {"taskId": "1", "status": "completed"}),
        ("setup", {"mode": "fast"}),
        ("settle", {"amount": 5}),
    ],
)
def test_what_is_not_certain_is_left_alone(name: str, arguments: dict[str, Any]) -> None:
    assert chains((name, arguments, "ok")) == ()


def test_the_view_of_a_folder_reads_no_file() -> None:
    listing = "Here's the files and directories up to 2 levels deep in /w"
    assert chains(("str_replace_editor", {"command": "view", "path": "/w"}, listing)) == ()


def test_a_patch_touches_every_file_it_names() -> None:
    patch = "*** Begin Patch\n*** Add File: new.py\n+a\n+b\n"
    patch += "*** Update File: old.py\n*** Move to: moved.py\n@@\n-x\n+y\n*** Delete File: gone.py\n*** End Patch"
    found = chains(("shell", {"command": ["apply_patch", patch], "workdir": "/w"}, "ok"))
    assert [(c.name, c.steps[0].action) for c in found] == [
        ("/w/new.py", "write"),
        ("/w/old.py", "delete"),
        ("/w/moved.py", "write"),
        ("/w/gone.py", "delete"),
    ]


def test_values_set_by_name_with_what_they_belong_to() -> None:
    found = chains(
        ("update_booking", {"booking_id": "B7", "cabin": "economy", "bags": 1}, "ok"),
        ("update_booking", {"booking_id": "B8", "cabin": "first"}, "ok"),
        ("update_booking", {"booking_id": "B7", "cabin": "business", "paid": True, "note": "n" * 400}, "ok"),
    )
    assert [(c.scope, c.name, [(s.old, s.new) for s in c.steps]) for c in found] == [
        ("update_booking, booking_id=B7", "cabin", [("", "economy"), ("economy", "business")]),
        ("update_booking, booking_id=B7", "bags", [("", "1")]),
        ("update_booking, booking_id=B8", "cabin", [("", "first")]),
        ("update_booking, booking_id=B7", "paid", [("", "true")]),
    ]


def test_an_argument_may_name_the_value() -> None:
    found = chains(("set_value", {"key": "预算", "value": 18_000_000}, "ok"), ("set_value", {"key": "预算", "value": 1_680_000}, "ok"))
    assert [(c.name, [s.new for s in c.steps]) for c in found] == [("预算", ["18000000", "1680000"])]


def test_whether_the_newest_value_is_still_in_the_context() -> None:
    filler: list[Step] = [("look", {"n": n}, "y" * 400) for n in range(6)]
    thread = thread_of(
        "Do it.", ("Read", {"file_path": "f"}, "x" * 300), ("Edit", {"file_path": "f", "old_string": "a", "new_string": "b"}, "ok"), *filler
    )
    result = replay(thread, budget=1_800)
    words = [presences(change_chains(thread), result, call)[0].word for call in range(len(thread.calls))]
    assert words[:3] == ["not yet", "yes", "yes"]
    assert words[-1] == "dropped"
    assert set(words) == {"not yet", "yes", "dropped"}


def test_an_old_value_alone_is_said_to_be_stale() -> None:
    """The first user turn goes, the second stays: the read of the second is older than nothing, the write of the first is gone."""
    thread = thread_of(
        "One.",
        ("Read", {"file_path": "f"}, "x"),
        "Two.",
        ("Edit", {"file_path": "f", "old_string": "a", "new_string": "b" * 300}, "ok"),
        ("look", {}, "y" * 30),
    )
    chain = change_chains(thread)
    result = replay(thread, budget=100_000)
    status = dict.fromkeys(range(len(thread.messages)), 1)
    from ctxcore.measures.presence import presence

    kept = {**status, chain[0].steps[1].carrier: 3}
    assert presence(chain[0], 3, kept).word == "stale only"
    assert presence(chain[0], 3, {}).word == "not in the request"
    assert presence(chain[0], 3, status, refused=True).word == "refused"
    assert presences(chain, result, 3)[0].word == "yes"


@pytest.mark.parametrize(
    "result",
    [
        '{"error":"burst must not be above limit","status":"error"}',
        '{"status": "FAILED"}',
        '{"success": false, "message": "locked"}',
        "Error: no such setting",
    ],
)
def test_a_call_that_failed_sets_nothing(result: str) -> None:
    thread = thread_of("Do it.", ("set_value", {"key": "burst", "value": 5}, "ok"), ("set_value", {"key": "burst", "value": 9}, result))
    (chain,) = change_chains(thread)
    assert (chain.changes, chain.value) == (1, "5")
    (one_call,) = presences((chain,), replay(thread, budget=100_000), 2)
    assert (one_call.word, one_call.newest, one_call.step) == ("yes", 0, 0)


def test_a_mark_of_success_does_not_hide_a_result_that_says_failed() -> None:
    """A loop that marks every result as good: the value stays as it was, a read stays a read."""
    messages = [
        {"role": "user", "content": "Go."},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "t1", "name": "set_value", "input": {"key": "burst", "value": 9}},
                {"type": "tool_use", "id": "t2", "name": "read_file", "input": {"path": "log.json"}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id_, "is_error": False, "content": '{"status": "error"}'} for id_ in ("t1", "t2")],
        },
    ]
    request = {"model": "claude-sonnet-4-5", "max_tokens": 100, "system": "s", "messages": messages}
    value, file = change_chains(read_session(json.dumps(request).encode(), "r.json").threads[0])
    assert (value.changes, value.value, file.reads) == (0, "", 1)


def test_what_was_only_tried_is_not_called_untouched() -> None:
    thread = thread_of("Do it.", ("look", {}, "ok"), ("set_burst", {"burst": 9}, '{"status": "error"}'), ("look", {}, "ok"))
    result = replay(thread, budget=100_000)
    assert [presences(change_chains(thread), result, call)[0].word for call in range(4)] == ["not yet", "not yet", "only failed", "only failed"]

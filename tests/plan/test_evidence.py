"""What the record says to a claim that a step is done. Call k is the reply of the k-th tool step."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ctxcore import read_session
from ctxcore.model import Event
from ctxcore.plan.claims import Claim
from ctxcore.plan.commands import command_kind, programs, written_files
from ctxcore.plan.reports import failures, report
from ctxcore.plan.review import PlanReview, plan_review
from ctxcore.plan.suites import failing_tests
from ctxcore.tool_uses import tool_uses
from tests.cases import CASES
from tests.chat import Step, conversation, thread_of, upload
from tests.plan.test_history import todos
from tests.runtime.test_recorder import recorded


def review(*steps: Step | str) -> PlanReview:
    return plan_review(thread_of("Do it.", *steps))


def only(made: PlanReview) -> Claim:
    (claim,) = made.claims
    return claim


def ran(command: str, output: str) -> Step:
    return ("Bash", {"command": command}, output)


START, DONE = todos("Paint:i Dry:p"), todos("Paint:c Dry:p")

FAILS, PASSES = ran("pytest -q", "Exit code 1\n2 failed, 9 passed in 1.2s"), ran("pytest -q", "11 passed in 1.1s")

EDIT = ("Edit", {"file_path": "wall.py", "old_string": "a", "new_string": "b"}, "ok")

LOST = ("Edit", {"file_path": "wall.py", "old_string": "x", "new_string": "b"}, "Error: not found")


def edited(path: str, result: str = "ok") -> Step:
    return ("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, result)


@pytest.mark.parametrize(
    ("work", "verdict", "against"),
    [
        ((), "unsupported", []),
        ((EDIT,), "supported", []),
        ((EDIT, PASSES), "supported", []),
        ((EDIT, FAILS), "contradicted", [2]),
        ((FAILS, EDIT, PASSES), "supported", []),
        ((PASSES, FAILS, ran("ls", "a.py")), "contradicted", [2]),
        ((EDIT, FAILS, ran("bun run test", "3 pass\n0 fail")), "supported", []),
        ((LOST,), "contradicted", [1]),
        ((LOST, EDIT), "supported", []),
        ((LOST, ran("cat > wall.py << 'EOF'\nb\nEOF", "")), "supported", []),
        ((EDIT, ran("grep -n x wall.py", "Exit code 1")), "supported", []),
        ((EDIT, ("Read", {"file_path": "no.py"}, "Error: no such file")), "supported", []),
        ((EDIT, ran("./deploy.sh", "Exit code 2\nno route")), "contradicted", [2]),
        ((EDIT, ran("./deploy.sh", "Exit code 2\nno route"), ran("./deploy.sh", "Exit code 0")), "supported", []),
        ((EDIT, ran("npm run build", "Exit code 1")), "contradicted", [2]),
        ((ran("mise run test 2>&1 | tail -3", "ok   x\nFAIL\n[test] ERROR task failed"),), "contradicted", [1]),
        ((("send_parcel", {}, '{"aborted": true}'),), "contradicted", [1]),
        ((("Read", {"file_path": "no.py"}, "Error: no such file"),), "contradicted", [1]),
        ((("AskUserQuestion", {"q": "red?"}, "yes"),), "unsupported", []),
        ((("run_tests", {}, '{"result": {"exit_code": 1, "failed": 3, "passed": 2}, "status": "ok"}'),), "contradicted", [1]),
    ],
)
def test_the_verdict_on_a_claim(work: tuple[Step, ...], verdict: str, against: list[int]) -> None:
    claim = only(review(START, *work, DONE))
    assert (claim.verdict, [fact.call for fact in claim.against]) == (verdict, against)


NO_OPTION = ("set_option", {"name": "burst"}, '{"error": "no option burst"}')

BURST = ("Edit", {"file_path": "settings.json", "old_string": "}", "new_string": '"burst": 0}'}, "ok")


def paint(**arguments: str) -> Step:
    return ("paint_wall", arguments, '{"ok": false}')


@pytest.mark.parametrize(
    ("work", "verdict", "against"),
    [
        ((NO_OPTION, BURST), "contradicted", [1]),
        ((NO_OPTION, BURST, PASSES), "supported", []),
        ((NO_OPTION, PASSES), "supported", []),
        ((NO_OPTION, ran("pytest -q tests", "3 passed")), "supported", []),
        ((NO_OPTION, ran("pytest -q tests/test_burst.py", "3 passed")), "supported", []),
        ((NO_OPTION, ran("pytest -q tests/test_door.py", "3 passed")), "contradicted", [1]),
        ((NO_OPTION, ("run_tests", {"path": "tests/test_door.py"}, '{"failed": 0, "passed": 3}')), "contradicted", [1]),
        ((NO_OPTION, PASSES, FAILS), "contradicted", [3, 1]),
        ((PASSES, NO_OPTION), "contradicted", [2]),
        ((LOST, PASSES), "contradicted", [1]),
        ((LOST, ran("pytest tests/test_wall.py", "3 passed")), "supported", []),
        ((paint(colour="red"), PASSES), "contradicted", [1]),
        ((paint(colour="red"), ran("./spray.sh red", ""), PASSES), "supported", []),
        ((paint(colour="red"), ran("./spray.sh green", ""), PASSES), "contradicted", [1]),
    ],
)
def test_tests_that_passed_at_the_end_make_good_what_they_cover(work: tuple[Step, ...], verdict: str, against: list[int]) -> None:
    """Tests say nothing of a file that was never written, nor of the very thing that the step is named after."""
    claim = only(review(START, *work, DONE))
    assert (claim.verdict, [fact.call for fact in claim.against]) == (verdict, against)


def suite(*failed: str) -> Step:
    """A run of all tests."""
    lines = "\n".join(f"FAILED tests/{name} - AssertionError" for name in failed)
    return ran("pytest", f"{lines}\n{len(failed)} failed, 6 passed in 1s")


RETRY, LIMITS = todos("Set-the-retry:i Oil:p"), "test_limiter.py::test_retry_after"

RETRIED = ran("pytest tests/test_retry.py", "2 passed")


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        ((suite(LIMITS), RETRY, RETRIED, suite(LIMITS)), "supported"),
        ((suite(LIMITS, "test_a.py::b"), RETRY, RETRIED, suite(LIMITS)), "supported"),
        ((RETRY, RETRIED, suite(LIMITS)), "contradicted"),
        ((suite("test_a.py::b"), RETRY, RETRIED, suite(LIMITS)), "contradicted"),
        ((suite(LIMITS), RETRY, edited("limiter.py"), suite(LIMITS)), "contradicted"),
        ((suite(LIMITS), RETRY, RETRIED, suite(LIMITS, "test_retry.py::b")), "contradicted"),
        ((suite(LIMITS), RETRY, RETRIED, FAILS), "contradicted"),
        ((todos("Set-the-retry:i Mend-the-limiter:p"), RETRIED, suite(LIMITS)), "supported"),
        ((todos("Set-the-retry:i Mend-the-limiter:c"), RETRIED, suite(LIMITS)), "contradicted"),
    ],
)
def test_tests_that_failed_elsewhere_are_not_against_a_step(steps: tuple[Step, ...], verdict: str) -> None:
    """Another file's, and failing before the step began, or named by a step that is still open. Where no report names them, nobody can tell."""
    last = steps[1 if steps[0][0] == "Bash" else 0]
    made = review(*steps, (last[0], json.loads(json.dumps(last[1]).replace("in_progress", "completed")), "ok"))
    assert made.newest()[0].verdict == verdict


def test_a_steps_own_tests_are_told_beside_those_that_failed_elsewhere() -> None:
    end = todos("Set-the-retry:c Oil:p")
    facts = only(review(suite(LIMITS), RETRY, RETRIED, suite(LIMITS), end)).facts
    assert [(fact.call, fact.what) for fact in facts[:2]] == [
        (2, "tests passed: pytest tests/test_retry.py"),
        (3, "tests failed (1): pytest; none of them is this step's"),
    ]


@pytest.mark.parametrize(
    ("output", "names"),
    [
        ("FAILED tests/test_a.py::test_b[1] - assert 0\n1 failed", {"tests/test_a.py::test_b[1]"}),
        ("FAIL: test_b (tests.test_a.Case)\nFAILED (failures=1)", {"tests.test_a.Case.test_b"}),
        ("--- FAIL: TestWall (0.00s)\nFAIL", {"TestWall"}),
        ("test walls::dry ... FAILED\ntest result: FAILED. 3 passed; 1 failed", {"walls::dry"}),
        ("FAIL src/wall.test.ts\nTests: 1 failed, 2 passed", {"src/wall.test.ts"}),
        ('{"failed": 1, "failures": [{"test": "tests.test_a.test_b"}]}', {"tests.test_a.test_b"}),
        ("FAILED tests/test_a.py::test_b - assert 0\n2 failed", set()),
        ("2 failed", set()),
        ('{"failed": 1, "failures": [3]}', set()),
    ],
)
def test_names_of_tests_that_failed_are_known_only_if_all_are(output: str, names: set[str]) -> None:
    (use,) = tool_uses(thread_of("Do it.", ran("pytest", output)))
    assert failing_tests(use) == names


def test_only_what_happened_while_the_step_was_in_progress_counts() -> None:
    made = review(FAILS, START, EDIT, DONE, FAILS)
    assert only(made).verdict == "supported"
    assert (only(made).start, only(made).call, only(made).started) == (1, 3, True)


def test_a_claim_without_any_tool_call_is_a_finding() -> None:
    made = review(START, DONE)
    assert [(finding.kind, finding.call, finding.steps) for finding in made.findings] == [("no_action", 1, (0,))]


def test_a_step_that_looks_for_a_failure_is_not_contradicted_by_one() -> None:
    made = review(todos("Reproduce-the-crash:i"), FAILS, todos("Reproduce-the-crash:c"))
    assert only(made).verdict == "unsupported"
    assert only(made).facts[0].what == "tests failed (2): pytest -q"


def test_a_step_without_a_recorded_start_is_judged_from_the_write_before() -> None:
    """A single failure may be of another step; failing tests are not."""
    first, last = todos("Paint:p Dry:p"), todos("Paint:c Dry:p")
    assert only(review(first, LOST, PASSES, last)).verdict == "supported"
    assert only(review(first, EDIT, FAILS, last)).verdict == "contradicted"


def plan(titles: list[str], status: str) -> Step:
    entries = [{"content": title, "status": status, "activeForm": title} for title in titles]
    return ("TodoWrite", {"todos": entries}, "Todos have been modified successfully.")


NOT_THERE, NPM = "Error: not found", ran("npm install", "Exit code 1")


@pytest.mark.parametrize(
    ("titles", "work", "verdicts"),
    [
        ("Paint-walls Dry-towels", (edited("paint_walls.py"),), ["supported", "unsupported"]),
        ("Paint-walls Dry-towels", (edited("walls.py"),), ["unsupported", "unsupported"]),
        ("Paint-walls Dry-towels", (edited("a.py"), edited("dry_towels.py", NOT_THERE)), ["unsupported", "contradicted"]),
        ("Paint-walls Dry-towels", (edited("PaintWalls.ts"), NPM), ["supported", "unsupported"]),
        ("Paint-walls Dry-towels", (NPM,), ["contradicted", "contradicted"]),
        ("Paint-walls Dry-towels", (("paint_walls", {}, '{"ok": false}'),), ["contradicted", "unsupported"]),
        ("Paint-walls Dry-towels", (("paint_walls", {}, '{"ok": false}'), NPM), ["contradicted", "contradicted"]),
        ("Paint-walls Dry-towels", (("paint_walls", {}, "ok"),), ["supported", "unsupported"]),
        ("Paint-walls Dry-towels", (), ["unsupported", "unsupported"]),
        ("Paint-walls Run-the-tests", (edited("paint_walls.py"), FAILS), ["supported", "contradicted"]),
        ("Paint-walls Run-the-tests", (edited("paint_walls.py"), PASSES), ["supported", "supported"]),
        ("Paint-walls Verify-with-a-sample", (edited("paint_walls.py"), edited("sample/verify.md")), ["supported", "unsupported"]),
        ("粉刷墙壁 晾干毛巾", (edited("粉刷墙壁.py"),), ["supported", "unsupported"]),
    ],
)
def test_steps_claimed_together_get_what_names_them(titles: str, work: tuple[Step, ...], verdicts: list[str]) -> None:
    """Read by hand: `walls.py` names one of the two words of “Paint walls”, too few; where nothing at all succeeded, that is against both."""
    steps = [title.replace("-", " ") for title in titles.split()]
    made = review(plan(steps, "pending"), *work, plan(steps, "completed"))
    assert [claim.verdict for claim in made.claims] == verdicts


def test_what_was_claimed_together_says_so() -> None:
    steps = ["Paint walls", "Dry towels"]
    made = review(plan(steps, "pending"), edited("paint_walls.py"), plan(steps, "completed"))
    told = [[fact.what for fact in claim.facts if fact.kind == "together"] for claim in made.claims]
    assert told == [["claimed together with 1 other; 1 tool call in between names its words"], ["claimed together with 1 other; not attributable"]]


def test_a_step_that_looks_for_failures_still_has_its_files_to_write() -> None:
    """A failing test is what a review looks for; a file that could not be written is not."""
    start, end = todos("Review-all:i"), todos("Review-all:c")
    assert only(review(start, EDIT, FAILS, end)).verdict == "supported"
    assert only(review(start, EDIT, edited("b.py", "Error: File has not been read yet."), end)).verdict == "contradicted"


CODEX_1 = "Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 1\nOutput:\n"


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (ran("rg -n brush src", "Exit code 1"), "Bash rg -n brush src found nothing"),
        (ran("cd src && grep brush *.py", "Exit code 1"), "Bash cd src && grep brush *.py found nothing"),
        (ran("grep brush gone.py", "Exit code 2\ngrep: gone.py: No such file or directory"), "Bash grep brush gone.py failed"),
        (ran("node -v && npm -v", "Exit code 127\n/bin/sh: node: not found"), "Bash node -v && npm -v failed"),
        (ran("ls brushes", "Exit code 1"), "Bash ls brushes failed"),
        (("exec_command", {"cmd": "rg brush"}, CODEX_1), "exec_command rg brush found nothing"),
        (("exec_command", {"cmd": "rg brush"}, f"{CODEX_1}rg: no such option"), "exec_command rg brush failed"),
        (("TaskOutput", {"task_id": "a9"}, "<tool_use_error>No task found with ID: a9</tool_use_error>"), "TaskOutput failed"),
    ],
)
def test_only_a_search_finds_nothing(step: Step, words: str) -> None:
    """grep and ripgrep end with 1 where no line matches and with 2 on an error; a shell ends with 127 where the command is not there (POSIX)."""
    assert [fact.what for fact in only(review(START, EDIT, step, DONE)).facts if fact.kind == "looked"] == [words]


def test_a_failure_has_one_meaning_for_steps_claimed_together(shared: Path) -> None:
    """Five writes below build-nginx fail at call #25 and none is tried again: against the step that they are of, and no support for the other."""
    (file,) = (shared / "corpus" / "claude-code" / "llmbuilds").glob("b17ac696*.jsonl")
    made = plan_review(read_session(file).threads[0])
    found = {made.history.steps[claim.step].title: claim for claim in made.claims if claim.call == 30}
    assert {title: claim.verdict for title, claim in found.items()} == {
        "Create Nginx experiment": "contradicted",
        "Review and finalize all experiments": "unsupported",
    }
    assert {fact.call for fact in found["Create Nginx experiment"].against} == {25, 28}, "the edit of #28 lists build-nginx in the README"


def test_a_step_that_is_first_seen_done_has_nothing_to_be_measured_by() -> None:
    assert only(review(FAILS, todos("Paint:c Dry:p"))).verdict == "unsupported"


def test_a_command_that_goes_on_is_judged_when_it_ends() -> None:
    begun = ("exec_command", {"cmd": "bun run test"}, "Chunk ID: 1\nProcess running with session ID 7\nOutput:\n")
    end = ("write_stdin", {"session_id": 7, "chars": ""}, "Chunk ID: 2\nProcess exited with code 1\nOutput:\n 4 pass\n 1 fail")
    claim = only(review(START, begun, end, DONE))
    assert (claim.verdict, claim.facts[0].what, claim.facts[0].call) == ("contradicted", "tests failed (1): bun run test", 2)
    assert only(review(START, EDIT, begun, DONE)).verdict == "supported", "still running: nothing is known"


def test_a_call_that_a_person_stopped_is_no_failure() -> None:
    stopped = ("Edit", {"file_path": "wall.py"}, "The user doesn't want to proceed with this tool use.")
    assert only(review(START, EDIT, stopped, DONE)).verdict == "supported"


def test_files_that_were_changed_are_listed_once() -> None:
    facts = only(review(START, EDIT, EDIT, ("Write", {"file_path": "b.py", "content": "x"}, "ok"), DONE)).facts
    assert [(fact.call, fact.what) for fact in facts if fact.kind == "file"] == [(3, "changed b.py"), (2, "changed wall.py")]


def compacted(*parts: str) -> PlanReview:
    """A Claude Code session: TodoWrite lines as ``Paint:c``; a bar is a compaction."""
    lines: list[dict[str, Any]] = []
    common = {"sessionId": "s", "version": "2.0.0", "cwd": "/d", "userType": "external", "isSidechain": False}

    def add(type_: str, message: dict[str, Any], **more: Any) -> None:
        number = len(lines)
        parent = lines[-1]["uuid"] if lines and "logicalParentUuid" not in more else None
        stamp = f"2025-03-10T09:{number:02}:00.000Z"
        lines.append({"parentUuid": parent, **common, "type": type_, "message": message, "uuid": f"u{number}", "timestamp": stamp, **more})

    add("user", {"role": "user", "content": "Paint the wall."})
    for number, part in enumerate(parts):
        if part == "|":
            mark = {
                "parentUuid": None,
                **common,
                "type": "system",
                "subtype": "compact_boundary",
                "content": "Conversation compacted",
                "uuid": f"b{number}",
            }
            lines.append(
                {
                    **mark,
                    "logicalParentUuid": lines[-1]["uuid"],
                    "timestamp": f"2025-03-10T09:{len(lines):02}:00.000Z",
                    "compactMetadata": {"trigger": "auto", "preTokens": 1},
                }
            )
            add("user", {"role": "user", "content": "This session is being continued from a previous conversation."}, isCompactSummary=True)
            continue
        name, arguments, _ = todos(part)
        block = {"type": "tool_use", "id": f"t{number}", "name": name, "input": arguments}
        usage = {"input_tokens": 9, "output_tokens": 5}
        add("assistant", {"id": f"m{number}", "type": "message", "role": "assistant", "model": "demo", "content": [block], "usage": usage})
        add("user", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok"}]})
    session = read_session("\n".join(map(json.dumps, lines)).encode(), "s.jsonl")
    assert session.format == "claude-code"
    return plan_review(session.threads[0])


def kinds(made: PlanReview, kind: str) -> list[tuple[int, tuple[int, ...]]]:
    return [(finding.call, finding.steps) for finding in made.findings if finding.kind == kind]


def test_a_done_step_that_is_open_after_a_compaction_has_come_back_to_life() -> None:
    assert kinds(compacted("Paint:c Dry:i", "|", "Paint:i Dry:i"), "resurrected") == [(1, (0,))]
    assert kinds(compacted("Paint:c Dry:c", "|", "Paint:p Oil:p Sand:p"), "resurrected") == [(1, (2,))], "a new row, the same title"


@pytest.mark.parametrize("parts", [("Paint:c Dry:i", "Paint:i Dry:i"), ("|", "Paint:c Dry:i", "Paint:i Dry:i"), ("Paint:i", "|", "Paint:i")])
def test_nothing_comes_back_without_a_compaction_after_it_was_done(parts: tuple[str, ...]) -> None:
    assert not kinds(compacted(*parts), "resurrected")


def cut(at: int, *steps: Step | str, inferred: bool = False) -> PlanReview:
    """A conversation with a compaction before a call."""
    return plan_review(replace(thread_of("Do it.", *steps), events=(Event(kind="compaction", call=at, inferred=inferred),)))


OVER, AGAIN = todos("Paint:c Dry:c"), todos("Paint:p Oil:p Sand:p")


@pytest.mark.parametrize(
    ("steps", "inferred", "found"),
    [
        ((OVER, AGAIN), False, [(1, (2,))]),
        ((OVER, AGAIN), True, []),
        ((OVER, "Now the door.", AGAIN), False, []),
        ((OVER, "Now the door.", todos("Paint:p Dry:p")), False, []),
        ((todos("Paint:c Dry:i"), "Go on.", todos("Paint:i Dry:i")), False, [(1, (0,))]),
        ((todos("Paint:c Dry:i"), todos("Paint:i Dry:i")), True, []),
    ],
)
def test_a_step_comes_back_only_after_a_recorded_compaction_and_within_its_task(
    steps: tuple[Step | str, ...], inferred: bool, found: list[Any]
) -> None:
    assert kinds(cut(1, *steps, inferred=inferred), "resurrected") == found


def test_a_reply_that_says_all_is_done_does_not_make_it_so() -> None:
    def said(text: str) -> list[tuple[int, tuple[int, ...]]]:
        messages = [*conversation("Go.", START, EDIT)[:-1], {"role": "assistant", "content": text}]
        return kinds(plan_review(read_session(upload(messages), "c.json").threads[0]), "said_done")

    assert said("Everything is finished.") == [(2, (0, 1))]
    assert said("全部完成。") == [(2, (0, 1))]
    assert said("Not everything is finished.") == []
    assert said("I will tell you when everything is finished.") == []


@pytest.mark.parametrize(
    ("plan", "work", "told"),
    [
        ("Paint:i", (FAILS,), "The record contradicts it: tests failed (2): pytest -q (Bash at call #1)."),
        ("Paint:i", (), "The record does not support it: no tool call between the start and the claim (call #1)."),
        ("Paint-walls:i Dry-towels:p Set-up:c", (("paint_walls", {}, "ok"),), "The record says of them: 1 supported, 1 unsupported."),
    ],
)
def test_a_claim_in_prose_is_told_with_what_the_record_says_to_it(plan: str, work: tuple[Step, ...], told: str) -> None:
    messages = [*conversation("Go.", todos(plan), *work)[:-1], {"role": "assistant", "content": "Everything is finished."}]
    (finding,) = (one for one in plan_review(read_session(upload(messages), "c.json").threads[0]).findings if one.kind == "said_done")
    assert finding.note.endswith(told)


def test_a_run_of_our_own_is_supported_by_its_gates(tmp_path: Path) -> None:
    """c had no tool call, but the program's check accepted it."""
    recorded(tmp_path / "run.jsonl")
    made = plan_review(read_session(tmp_path / "run.jsonl").threads[0])
    assert [(claim.step, claim.verdict, claim.facts[0].what) for claim in made.claims] == [
        (0, "supported", "accepted by the program's check: 7 birds 鸟"),
        (2, "supported", "accepted by the program's check: Written."),
    ]
    assert not made.findings


def test_a_tool_outcome_that_the_task_state_lacks_is_drift(tmp_path: Path) -> None:
    recorded(tmp_path / "run.jsonl")
    text = (tmp_path / "run.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    end = next(line for line in lines if line.get("event") == "run_ended")
    state = end["facts"]["state"]
    for field, entries in state.items():
        if isinstance(entries, list):
            state[field] = [entry for entry in entries if entry["evidence"] != "a/1/2"]
    state["goal"] = "Count the bees."
    made = plan_review(read_session("\n".join(map(json.dumps, lines)).encode(), "run.jsonl").threads[0])
    assert [finding.kind for finding in made.findings] == ["state_drift", "goal_changed"]
    assert "a/1/2" in made.findings[0].note
    assert [made.history.steps[step].id for step in made.findings[0].steps] == ["a"]


def test_drift_that_the_run_found_itself_names_its_step(tmp_path: Path) -> None:
    recorded(tmp_path / "run.jsonl")
    lines = (tmp_path / "run.jsonl").read_text(encoding="utf-8").splitlines()
    place = next(number for number, line in enumerate(lines) if '"run_ended"' in line)
    found = {**json.loads(lines[place]), "event": "finding", "facts": {"kind": "state_drift", "step": "c", "note": "The hook failed."}}
    lines.insert(place, json.dumps({**found, "ts": found.pop("ts")}))
    made = plan_review(read_session("\n".join(lines).encode(), "run.jsonl").threads[0])
    assert [(one.kind, [made.history.steps[step].id for step in one.steps]) for one in made.findings] == [("state_drift", ["c"])]


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("cd app && npm test", "test"),
        ("CI=1 timeout 60 uv run pytest -x tests | tail -5", "test"),
        ("bash -lc 'go test ./...'", "test"),
        ("python -m pytest", "test"),
        ("./gradlew :app:testDebug", "test"),
        ("mise run lint 2>&1", "check"),
        ("go build ./...", "check"),
        ('rg -n "npm test|pytest && rm" src | head', "look"),
        ("git status && git diff", "look"),
        ("git commit -m 'fix tests'", "command"),
        ("cat pytest.ini", "look"),
        ("node -v && npm --version", "look"),
        ("rm -rf build", "command"),
        ("", "look"),
    ],
)
def test_what_a_command_is_for(command: str, kind: str) -> None:
    assert command_kind(command) == kind


def test_files_that_a_command_writes() -> None:
    assert written_files("cat > a.py << 'E'\nE") == ("a.py",)
    assert written_files("echo x >> 'b c' 2>&1; ls 2>/dev/null | tee log.txt")[0] != "/dev/null"
    assert written_files("sed -i 's/a/b/' src/x.py && ls") == ("src/x.py",)


def test_programs_of_a_long_hostile_line_are_read_in_time() -> None:
    assert len(programs("x=" * 2_000)) <= 1
    assert command_kind("/" * 4_000 + " test " * 600) == "command"
    assert command_kind("make " + "a " * 2_000) == "check"


@pytest.mark.parametrize(
    ("output", "passed", "number"),
    [
        ("===== 3 failed, 4 passed in 1s =====", False, "3"),
        ("===== 12 passed, 1 warning in 1s =====", True, ""),
        ("FAILED (failures=2, errors=1)", False, "2"),
        ("Ran 5 tests in 0.1s\n\nOK", True, ""),
        ("Tests:       1 failed, 8 passed, 9 total", False, "1"),
        ("ok  \tgithub.com/x/y\t0.3s", True, ""),
        ("--- FAIL: TestX (0.00s)\nFAIL\nexit status 1", False, ""),
        ("test result: ok. 3 passed; 0 failed; 0 ignored", True, ""),
        ("test result: FAILED. 1 passed; 2 failed", False, "2"),
        ("Total:  41\nPassed: 41\nFailed: 0\nALL TESTS PASSED!", True, ""),
        (" 3 pass\n 2 fail\n 16 expect() calls", False, "2"),
        ("Failed to load the cache, going on\n5 passed", True, ""),
        ("compiling", None, ""),
        ('{"result": {"failed": 0, "passed": 2}}', True, ""),
    ],
)
def test_what_the_output_of_a_test_run_says(output: str, passed: bool | None, number: str) -> None:
    assert report(output) is passed
    assert failures(output) == number


def test_failed_work_behind_completed_steps_is_pointed_to() -> None:
    """PLAN-06: both steps without a successful call; calls b and c are replies 1 and 2."""
    made = plan_review(read_session(CASES / "PLAN-06.json").threads[0])
    assert made.history.progress()["completed"] == 2
    assert [claim.verdict for claim in made.claims] == ["contradicted"] * 2
    assert [[fact.call for fact in claim.against] for claim in made.claims] == [[1], [2]]
    assert [finding.note for finding in made.findings] == [
        "“Mix paint” was called done, but mix_paint failed and was not made good at call #1.",
        "“Send parcel” was called done, but send_parcel failed and was not made good at call #2.",
    ]


def test_prose_does_not_complete_a_step() -> None:
    """PLAN-07: one of two done; the last reply (call 2) claims more; the tool of call 1 succeeded."""
    thread = read_session(CASES / "PLAN-07.json").threads[0]
    made = plan_review(thread)
    assert [(step.title, step.status) for step in made.history.steps] == [("Push demand", "completed"), ("Update comment", "in_progress")]
    assert kinds(made, "said_done") == [(2, (1,))]
    assert made.findings[-1].note.endswith("The record supports it: 1 tool call, it succeeded (add_comment at call #1).")


def test_a_failed_call_that_is_tried_again_makes_no_plan() -> None:
    """PLAN-08."""
    assert not plan_review(read_session(CASES / "PLAN-08.json").threads[0]).history.revisions


AGENT_5 = {"Create useTodos hook for state management": "contradicted", "Create Filter component for the todo-app": "supported"}


def test_verdicts_on_a_real_session(shared: Path) -> None:
    """Read by hand: the Write of useTodos.ts fails before the first claim, four tools succeed before the second."""
    session = read_session(shared / "corpus" / "claude-code" / "kimuson_fe5e1c67_infile_sidechains.jsonl")
    made = plan_review(session.thread("agent-5"))
    found = {made.history.steps[step].title: claim.verdict for step, claim in made.newest().items()}
    assert AGENT_5.items() <= found.items()


def test_a_list_for_the_next_task_is_not_the_old_one_come_back(shared: Path) -> None:
    """Read by hand: the file has no compaction, only less input at call 24 where a new task begins; call 39 is that task's own list."""
    made = plan_review(read_session(shared / "corpus" / "claude-code" / "entire_8c-fa91-5_two_sessionids.jsonl").threads[0])
    assert not kinds(made, "resurrected")

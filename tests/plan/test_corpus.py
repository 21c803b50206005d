"""Facts of real recordings, counted a second way: by a plain scan of the lines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ctxcore import read_session
from ctxcore.model import Session
from ctxcore.plan.history import plan_history

CLAUDE = (
    "kimuson_1af7fc5e_small.jsonl",
    "kimuson_fe5e1c67_infile_sidechains.jsonl",
    "entire_63-095c_opus46_tasks.jsonl",
    "entire_fc-99c9_userimage_taskcreate.jsonl",
    "entire_8c-fa91-5_two_sessionids.jsonl",
    "entire_cd-95ad_3compact_6interrupts.jsonl",
    "agentv_1e-d266-0_v2.1.62.jsonl",
)
CODEX = ("agentv_88-8ba8_aborted_missing_output.jsonl", "agentv_79-6ead_3compactions_4.1MB.jsonl")

ROLLOUT_CALL = re.compile(r'"type":"function_call","name":"update_plan"')


def session_of(path: Path) -> Session:
    return read_session(path)


def tool_use_ids(path: Path) -> list[tuple[str, str]]:
    """Id and name of every distinct plan tool call of a Claude Code file."""
    found: dict[str, str] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        content = record.get("message", {}).get("content") if record.get("type") == "assistant" else None
        for block in content if isinstance(content, list) else ():
            if block.get("type") == "tool_use" and block["name"] in ("TodoWrite", "TaskCreate", "TaskUpdate"):
                found[block["id"]] = block["name"]
    return list(found.items())


@pytest.mark.parametrize("name", CLAUDE)
def test_every_plan_write_of_a_claude_code_file_is_a_revision(shared: Path, name: str) -> None:
    path = shared / "corpus" / "claude-code" / name
    session = session_of(path)
    assert sum(len(plan_history(t).revisions) for t in session.threads) == len(tool_use_ids(path))


@pytest.mark.parametrize("name", ["entire_63-095c_opus46_tasks.jsonl", "entire_fc-99c9_userimage_taskcreate.jsonl", "agentv_1e-d266-0_v2.1.62.jsonl"])
def test_every_created_task_is_one_step_with_its_id(shared: Path, name: str) -> None:
    path = shared / "corpus" / "claude-code" / name
    made = plan_history(session_of(path).threads[0])
    created = [name for _, name in tool_use_ids(path)].count("TaskCreate")
    assert len(made.steps) == created
    assert {step.status for step in made.steps} == {"completed"}
    assert [step.id for step in made.steps] == [str(number) for number in range(1, created + 1)]


@pytest.mark.parametrize("name", CODEX)
def test_every_plan_write_of_a_rollout_is_a_revision(shared: Path, name: str) -> None:
    path = shared / "corpus" / "codex-cli" / name
    made = plan_history(session_of(path).threads[0])
    assert len(made.revisions) == len(ROLLOUT_CALL.findall(path.read_text(encoding="utf-8")))

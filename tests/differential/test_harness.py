"""The comparison itself: it sees a difference, and says so where it cannot compare."""

from pathlib import Path

import pytest

from tests.differential import environments
from tests.differential.__main__ import main
from tests.differential.compare import Verdict, _compare, jobs
from tests.differential.lists import made_list
from tests.differential.upstreams import Trial, Upstream

NONE = Upstream(driver="", requirements="", trials=(Trial(policy="autogen-buffered", function="", settings=({"buffer_size": 3},)),))


def test_a_message_kept_by_one_side_only_is_a_fault() -> None:
    """The buffer of 3 drops from this list; an original that sends all of it differs in just the calls of more than 3 messages."""
    job = next(iter(jobs(NONE, [("list", made_list(1))])))
    everything = [[[index, None] for index in range(length)] for length in job.line.history.length.tolist()]
    verdict = Verdict(trial=job.trial)
    _compare(verdict, job, everything)
    assert len(verdict.faults) == sum(len(ours) < len(all_of_it) for ours, all_of_it in zip(job.ours(), everything, strict=True)) > 0
    same = Verdict(trial=job.trial)
    _compare(same, job, job.ours())
    assert same.faults == []


def test_packages_that_cannot_be_installed_are_no_success(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(environments, "CACHE", tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.setattr("sys.argv", ["differential", "--only", "langchain"])
    assert main() == 2
    assert "cannot be installed" in capsys.readouterr().err

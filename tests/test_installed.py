"""Policies and rules of other packages that cannot be loaded: one sentence, and the rest works. Formats: ``tests/readers/test_plugins.py``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ctxcore.cli import main
from ctxcore.errors import InputError
from ctxcore.policies import plugins
from ctxcore.state.business_rules import rule_named

Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts metadata of a package on the path that names a module which is not there."""

    def put(group: str) -> None:
        metadata = tmp_path / "half_installed-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: half-installed\nVersion: 1.0\n", encoding="utf-8")
        (metadata / "entry_points.txt").write_text(f"[{group}]\nbad = nomod:Nope\n", encoding="utf-8")
        monkeypatch.syspath_prepend(str(tmp_path))
        plugins._from_packages.cache_clear()

    yield put
    monkeypatch.undo()
    plugins._from_packages.cache_clear()
    plugins._from_packages()


def test_a_policy_that_cannot_be_loaded_is_left_out(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("ctxscope.policies")
    assert main(["policies"]) == 0
    out, err = capsys.readouterr()
    assert "whole-units" in out
    why = "it raised ModuleNotFoundError (No module named 'nomod')"
    assert err == f"ctxscope: The policy bad of the package half-installed cannot be loaded: {why}. It is left out.\n"


def test_a_rule_that_cannot_be_loaded_is_told(install: Install) -> None:
    install("ctxscope.business_rules")
    with pytest.raises(InputError, match="The rule bad of the package half-installed cannot be loaded: it raised ModuleNotFoundError"):
        rule_named("bad")

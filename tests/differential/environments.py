"""Environments of the real packages, made once per list of requirements."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".differential"


class NotInstalledError(Exception):
    """An environment that could not be made; says why and what to do."""


def python_of(requirements: str, *, install: bool = True) -> Path:
    """The interpreter of an environment with the packages of a list.

    Args:
        requirements: Name of a file in ``requirements``, without its ending.
        install: Make the environment where it is not there yet.

    Raises:
        NotInstalledError: It is not there, or pip could not install it.
    """
    file = HERE / "requirements" / f"{requirements}.txt"
    digest = hashlib.sha256(file.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = CACHE / f"{requirements}-{digest}"
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not (folder / "complete").exists():
        if not install:
            raise NotInstalledError(f"The packages of {file.name} are not installed; python -m tests.differential installs them.")
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=False)
        _install(file, python)
        (folder / "complete").touch()
    return python


def _install(file: Path, python: Path) -> None:
    """Exactly what is listed, without asking the resolver, so that no other day gives other packages."""
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "--no-input"]
    done = subprocess.run(
        [*pip, "install", "--quiet", "--no-deps", "--no-compile", "--requirement", str(file)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        reasons = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines() or ["pip gave no reason."]
        raise NotInstalledError(
            f"Nothing is compared: the packages of tests/differential/requirements/{file.name} cannot be installed. "
            f"The comparison needs a package index once, later runs find them in .differential. pip said: {reasons[-1]}"
        )

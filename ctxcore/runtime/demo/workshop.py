"""Real file tools over one folder, and the small faulty package that the coding sample repairs."""

from __future__ import annotations

import difflib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from ctxcore.runtime.demo.plans import todo_write
from ctxcore.runtime.demo.schemas import schema
from ctxcore.runtime.tools import Tool

PACKAGE = Path(__file__).parent / "throttle_project"
"""The package as the agent finds it; its files end in ``.txt`` so that nothing takes them for code of this project."""

RUNNER = """
import importlib, json, sys
sys.path.insert(0, ".")
sys.dont_write_bytecode = True
passed, failures = 0, []
for name in sys.argv[1:]:
    module = importlib.import_module(name)
    for test in [n for n in vars(module) if n.startswith("test_")]:
        try:
            getattr(module, test)()
            passed += 1
        except Exception as error:
            failures.append({"test": name + "." + test, "error": type(error).__name__ + ": " + str(error)})
print(json.dumps({"exit_code": 1 if failures else 0, "passed": passed, "failed": len(failures), "failures": failures}))
"""
"""Runs plain test functions and says what failed, without times or paths."""


class Workshop:
    """File tools that cannot leave their folder."""

    def __init__(self, folder: Path) -> None:
        """Set the package up in an empty folder."""
        self.folder = folder
        for source in sorted(PACKAGE.rglob("*.txt")):
            target = folder / source.relative_to(PACKAGE).with_suffix("")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
        self._before = self._snapshot()

    def _snapshot(self) -> dict[str, str]:
        files = sorted(p for p in self.folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts)
        return {p.relative_to(self.folder).as_posix(): p.read_text() for p in files}

    def _path(self, path: str) -> Path:
        resolved = (self.folder / path).resolve()
        if not resolved.is_relative_to(self.folder.resolve()):
            raise ValueError(f"{path} is outside the project")
        return resolved

    def _existing(self, path: str) -> Path:
        found = self._path(path)
        if not found.is_file():
            raise FileNotFoundError(f"no file {path}")
        return found

    def list_files(self) -> list[dict[str, Any]]:
        """Every file with its lines."""
        return [{"path": path, "lines": len(text.splitlines())} for path, text in self._snapshot().items()]

    def read_file(self, path: str) -> str:
        """The whole text."""
        return self._existing(path).read_text()

    def write_file(self, path: str, content: str) -> dict[str, Any]:
        """Make or replace a file."""
        target = self._path(path)
        existed = target.exists()
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
        return {"path": path, "created": not existed, "lines": len(content.splitlines())}

    def edit_file(self, path: str, old: str, new: str) -> dict[str, Any]:
        """Replace a text that stands exactly once."""
        target = self._existing(path)
        text = target.read_text()
        if text.count(old) != 1:
            raise ValueError(f"the old text stands {text.count(old)} times in {path}, not once; read the file again")
        target.write_text(text.replace(old, new))
        return {"path": path, "line": text[: text.index(old)].count("\n") + 1, "removed": old.count("\n") + 1, "added": new.count("\n") + 1}

    def search(self, pattern: str) -> list[str]:
        """Lines that match, as ``path:line: text``."""
        wanted = re.compile(pattern)
        return [
            f"{path}:{number}: {line.strip()}"
            for path, text in self._snapshot().items()
            for number, line in enumerate(text.splitlines(), 1)
            if wanted.search(line)
        ]

    def run_tests(self, path: str = "tests") -> dict[str, Any]:
        """Run the test functions of a file or folder in a process of their own, where installed packages cannot be taken for them."""
        chosen = [p for p in self._snapshot() if p.startswith(path) and Path(p).name.startswith("test_")]
        modules = [p.removesuffix(".py").replace("/", ".") for p in chosen]
        if not modules:
            raise FileNotFoundError(f"no tests in {path}")
        command = [sys.executable, "-I", "-S", "-B", "-c", RUNNER, *modules]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)  # noqa: S603 - fixed command, own temporary folder
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    def set_option(self, name: str, value: int) -> dict[str, Any]:
        """Change a setting that exists."""
        target = self._existing("settings.json")
        options = json.loads(target.read_text())
        if name not in options:
            raise ValueError(f"no option {name}; there are {', '.join(options)}")
        old, options[name] = options[name], value
        target.write_text(json.dumps(options, indent=2) + "\n")
        return {"name": name, "old": old, "new": value}

    def show_changes(self) -> str:
        """A diff against the files as they were at first."""
        now = self._snapshot()
        lines: list[str] = []
        for path in sorted(self._before.keys() | now.keys()):
            before, after = self._before.get(path, "").splitlines(), now.get(path, "").splitlines()
            lines += difflib.unified_diff(before, after, f"a/{path}", f"b/{path}", lineterm="", n=1)
        return "\n".join(lines)

    def tools(self) -> list[Tool]:
        """What the agent gets."""
        text, path = {"type": "string"}, {"type": "string", "description": "Relative to the project's root."}
        return [
            Tool(name="list_files", description="List all files.", parameters=schema(), function=self.list_files),
            Tool(name="read_file", description="Read a file.", parameters=schema("path", path=path), function=self.read_file),
            Tool(
                name="write_file",
                description="Create or replace a file.",
                parameters=schema("path", "content", path=path, content=text),
                function=self.write_file,
            ),
            Tool(
                name="edit_file",
                description="Replace a text that stands exactly once in a file.",
                parameters=schema("path", "old", "new", path=path, old=text, new=text),
                function=self.edit_file,
            ),
            Tool(name="search", description="Find lines by regular expression.", parameters=schema("pattern", pattern=text), function=self.search),
            Tool(name="run_tests", description="Run the tests of a file or folder.", parameters=schema(path=path), function=self.run_tests),
            Tool(
                name="set_option",
                description="Change an option of settings.json.",
                parameters=schema("name", "value", name=text, value={"type": "integer"}),
                function=self.set_option,
            ),
            Tool(name="show_changes", description="Diff against the start of the session.", parameters=schema(), function=self.show_changes),
            todo_write(),
        ]

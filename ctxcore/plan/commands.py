"""What a shell command is for, and how it ended: told by its program's name and by what the log has of its end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from ctxcore.model import Json
from ctxcore.tool_uses import ToolUse, json_object

CommandKind = Literal["test", "check", "look", "command"]
"""Tests; builds, linters and type checks; commands that only look; all else."""

SHELLS = frozenset(
    {"bash", "shell", "execcommand", "shellcommand", "exec", "executebash", "executecommand", "runcommand", "terminal", "localshell"}
    | {"runshellcommand", "runterminalcmd", "runinterminal", "executeshellcommand", "powershell", "bashtool"}
)
"""Tool names in lower case without separators."""

TEST_TOOLS = frozenset({"runtests", "runtest", "test", "tests", "pytest", "executetests", "runtestsuite", "unittest"})
"""Tools that run tests, named in the same way."""

LEAD = re.compile(
    r"^(?:\s|\(|!|\w+=\S*\s|(?:sudo|time|nice|env|command|exec|then|do|else|npx|bunx|xvfb-run)\s"
    r"|timeout\s+(?:-\S+\s+)*\S+\s|(?:uv|poetry|pipenv|pdm|hatch|rye|bundle|pnpm|bun|dotenv)\s+(?:run|exec|x)\s(?!test\b))+"
)
"""What stands before the program's own name."""

TEST = re.compile(
    r"(?:\S*/)?(?:pytest|py\.test|tox|nox|jest|vitest|mocha|ava|rspec|phpunit|ctest|cypress|behat|tape|karma)\b"
    r"|(?:\S*/)?python[\d.]*\s+(?:-\S+\s+)*-m\s+(?:pytest|unittest|tox|nox|nose2?|doctest)\b"
    r"|(?:npm|yarn|pnpm|bun)\s+(?:run\s+|-\S+\s+)*(?:test|t|e2e|spec)\b|(?:mise|task|just|rake|invoke|inv|moon|nx)\s+(?:run\s+)?\S*test|deno\s+test|node\s+--test"
    r"|(?:go|cargo|swift|flutter|dart|zig|mix|sbt|lein|rails|rake|stack|cabal|bazel|buck2?|dotnet)\s+(?:test|nextest)\b"
    r"|(?:\./)?(?:mvnw?|gradlew?)\b.*[\s:](?:test|verify|check)|make\s+(?:\S+\s+)*(?:\S*test\S*|check)\b|playwright\s+test"
    r"|(?:\S*/)?\S*(?:run[_-]?tests?|manage\.py\s+test)\b"
)
"""Programs that run tests."""

CHECK = re.compile(
    r"(?:\S*/)?(?:mypy|pyright|ruff|flake8|pylint|black|isort|eslint|tsc|biome|prettier|golangci-lint|gofmt|clippy|shellcheck|make|cmake|ninja|gcc|g\+\+)\b"
    r"|(?:npm|yarn|pnpm|bun)\s+run\s+\S*(?:build|lint|typecheck|type-check|check|compile)|(?:go|cargo|dotnet|swift)\s+(?:build|vet|check|clippy|fmt)\b"
    r"|(?:mise|task|just|rake|invoke|inv|moon|nx)\s+(?:run\s+)?\S*(?:lint|build|check|fmt|format|compile)|(?:\./)?(?:mvnw?|gradlew?)\b|docker\s+build"
)
"""Builds, linters, type checks."""

LOOK = re.compile(
    r"\S+\s+(?:-v|-V|--version|version|--help|-h)$|(?:ls|ll|cat|head|tail|nl|less|more|grep|rg|ag|ack|egrep|fgrep|find|fd|tree|wc|which|whereis|type|file|stat|du|df|pwd|echo|printf|env|printenv"
    r"|ps|pgrep|top|diff|cmp|test|\[|jq|yq|awk|sed\s+-n|sort|uniq|cut|tr|curl|wget|ping|nc|lsof|netstat|ss|date|whoami|id|uname|hostname|sleep|true"
    r"|cd|history|man|help|command\s+-v|git\s+(?:-\S+\s+\S+\s+)?(?:status|log|show|diff|branch|blame|grep|ls-files|rev-parse|remote|describe|reflog|check-ignore)"
    r"|gh\s+(?:\w+\s+)?(?:list|view|status|diff|checks)|kubectl\s+(?:get|describe|logs)|docker\s+(?:ps|images|logs|inspect)|npm\s+(?:ls|view|outdated))(?:\s|$)"
)
"""Commands whose failure only says that something is not there."""

CUT = re.compile(r"&&|\|\||;|\||\n")
"""Where one command ends and the next begins."""

QUOTED = re.compile(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
"""Words in quotes: what stands in them is no command."""

INNER = re.compile(r"^(?:\S*/)?(?:ba|z|da)?sh\s+-l?c\s+(['\"])(.*)\1$", re.DOTALL)
"""A command that only starts a shell with another."""

WRITES = re.compile(
    r">>?[ \t]*([^\s;&|<>()]+)|\btee[ \t]+(?:-a[ \t]+)?([^\s;&|<>()]+)|\bsed[ \t]+-i\S*[ \t][^\n;&|]*?([^\s;&|'\"]+)[ \t]*(?=$|[\n;&|])"
)
"""Where a command line writes a file."""

EXIT = re.compile(
    r"^\W{0,3}(?:process |the command |command )?(?:exited|completed|finished|failed|exit(?: ?code)?|return ?code|exit status)"
    r"(?:\s+with)?(?:\s+(?:exit\s+)?(?:code|status))?\W{0,3}\s*(-?\d{1,10})\b",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that gives the exit code: ``Exit code 1``, ``Process exited with code 0``, ``[The command completed with exit code 0.]``."""

EDGE = 500
"""Characters at both ends of a result in which such a line stands."""

RUNNING = re.compile(r"^\W*process running with session id\s+(\d+)", re.IGNORECASE | re.MULTILINE)
"""A command that goes on in the background."""

CODE_KEYS = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")
"""Keys of a JSON result with the exit code."""

SEARCH = re.compile(r"(?:\S*/)?(?:rg|[ef]?grep|ag|ack|find|fd|which|whereis|pgrep|git\s+(?:-\S+\s+\S+\s+)?grep|command\s+-v)(?:\s|$)")
"""Commands that end with 1 and without a word where they find nothing."""

HEAD_LINE = re.compile(r"^(?:chunk id|wall time|original token count|total output lines)\b[^\n]*$|^output:[ \t]*$", re.IGNORECASE | re.MULTILINE)
"""What a program writes around the output of a command."""

LONGEST, LONGEST_PART = 4_000, 300
"""Characters of a command line that are read, and of each command in it."""


def command_line(use: ToolUse) -> str:
    """The command of a shell tool call, without what it feeds to programs; empty for other tools."""
    return whole_command(use).partition("<<")[0].strip()


def whole_command(use: ToolUse) -> str:
    """The command of a shell tool call as recorded, its beginning where it is long; empty for other tools."""
    if use.word not in SHELLS:
        return ""
    value = use.arguments.get("command", use.arguments.get("cmd", use.arguments.get("script")))
    if isinstance(value, list):
        words = [word for word in value if isinstance(word, str)]
        value = words[-1] if len(words) == 3 and words[1] in ("-lc", "-c") else " ".join(words)
    return value[:LONGEST] if isinstance(value, str) else ""


def written_files(command: str) -> tuple[str, ...]:
    """Files that a command line writes by redirection, ``tee`` or ``sed -i``, as far as it names them plainly."""
    found = [match[1] or match[2] or match[3] for match in WRITES.finditer(command)]
    return tuple(path.strip("'\"") for path in found if path and not path.startswith(("/dev/", "&")))


def programs(command: str) -> list[str]:
    """Commands of a line, each from its program's name on."""
    plain = QUOTED.sub("_", INNER.sub(r"\2", command.strip()))
    found = (LEAD.sub("", f"{part.strip()} ").strip() for part in CUT.split(plain))
    return [part[:LONGEST_PART] for part in found if part]


def command_kind(command: str) -> CommandKind:
    """What the line is for: tests before checks before other work; a line that only looks has nothing else in it."""
    parts = programs(command)
    if any(TEST.match(part) for part in parts):
        return "test"
    if any(CHECK.match(part) for part in parts):
        return "check"
    return "look" if all(LOOK.match(part) for part in parts) else "command"


def command_key(command: str) -> str:
    """What a later command must share to be another try: the program, and its first word that is no option."""
    parts = programs(command)
    main = next((part for part in parts if TEST.match(part)), None) or next(
        (part for part in parts if not LOOK.match(part)), parts[0] if parts else ""
    )
    words = [word for word in main.split()[:5] if not word.startswith("-") and ">" not in word]
    return " ".join(words[: 3 if words[1:2] == ["run"] else 2])


def exit_code(use: ToolUse) -> int | None:
    """The recorded exit code of a tool call; None where there is none."""
    if use.result is None:
        return None
    text = use.result.text
    if text.lstrip().startswith("{"):
        return _code_in(json_object(text))
    edges = text if len(text) <= 2 * EDGE else f"{text[:EDGE]}\n{text[-EDGE:]}"
    found = EXIT.search(edges)
    return int(found[1]) if found else None


def _code_in(value: Mapping[str, Json]) -> int | None:
    for place in (value, value.get("metadata"), value.get("result"), value.get("output")):
        if isinstance(place, Mapping):
            for key in CODE_KEYS:
                if isinstance(place.get(key), int) and not isinstance(place[key], bool):
                    return int(place[key])
    return None


def found_nothing(use: ToolUse) -> bool:
    """A search that ended with exit code 1 and no output. Other codes, and other commands, failed: 127 is a command that is not there."""
    parts = programs(command_line(use))
    searches = any(SEARCH.match(part) for part in parts) and all(LOOK.match(part) or SEARCH.match(part) for part in parts)
    return searches and exit_code(use) == 1 and not _output(use).strip()


def _output(use: ToolUse) -> str:
    """What the command wrote, without the lines around it; of a long output the beginning."""
    text = use.result.text if use.result is not None else ""
    if text.lstrip().startswith("{"):
        value = json_object(text)
        return "".join(str(value.get(key) or "") for key in ("output", "stdout", "stderr"))
    return re.sub(r"^.*$", lambda line: "" if EXIT.match(line[0]) or HEAD_LINE.match(line[0]) else line[0], text[: 4 * EDGE], flags=re.MULTILINE)

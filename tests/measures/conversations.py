"""Made conversations, and evidence in them looked up call by call and text by text, without indexes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ctxcore import read_session
from ctxcore.atoms import Atom, atoms
from ctxcore.mentions import Mentions, readable
from ctxcore.model import Message, Other, Part, Text, Thread, ToolCall, ToolResult
from ctxcore.replay import Replay
from ctxcore.units import catalog

Said = Mapping[str, Any]


def user(text: str) -> Said:
    return {"role": "user", "content": text}


def says(text: str) -> Said:
    return {"role": "assistant", "content": text}


def asks(key: str, name: str, **arguments: Any) -> Said:
    call = {"id": key, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def result(key: str, text: str) -> Said:
    return {"role": "tool", "tool_call_id": key, "content": text}


def thread_of(*messages: Said, system: str = "", tools: list[Any] | None = None) -> Thread:
    """The thread of a Chat request; every assistant message is the reply of a call."""
    head = [{"role": "system", "content": system}] if system else []
    request = {"model": "gpt-4o", "messages": [*head, *messages], **({"tools": tools} if tools else {})}
    return read_session(json.dumps(request, ensure_ascii=False).encode(), "made.json").threads[0]


WORDS = (
    "src/app/main.py",
    "README.md",
    "0.125",
    "ENOENT",
    "#4711",
    "`max_retries_total`",
    "请",
    "ok",
    "then",
    '"connection refused by peer"',
    "/src/app/main.py:3",
)


@st.composite
def conversations(draw: st.DrawFn) -> Thread:
    """A few turns of exchanges whose texts share a few atoms."""
    phrase = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
    messages: list[Said] = []
    for turn in range(draw(st.integers(1, 4))):
        messages.append(user(draw(phrase)))
        for step in range(draw(st.integers(0, 3))):
            key, name = f"c{turn}_{step}", draw(st.sampled_from(["read", "grep"]))
            messages += [asks(key, name, text=draw(phrase)), result(key, draw(phrase) * draw(st.integers(1, 9)))]
        if draw(st.booleans()):
            messages.append(says(draw(phrase)))
    return thread_of(*messages, system=draw(st.sampled_from(["", "Answer. ENOENT"])))


def part_text(part: Part) -> str:
    """What is searched in a part."""
    match part:
        case ToolCall(arguments=text):
            return readable(text, keys=False)
        case ToolResult(text=text):
            return readable(text)
        case Text(text=text) | Other(text=text):
            return text
        case _:
            return ""


def used(message: Message) -> set[Atom]:
    """Atoms that a reply uses."""
    return {atom for part in message.parts if isinstance(part, (Text, ToolCall)) for atom in atoms(part_text(part))}


@lru_cache(maxsize=1 << 16)
def stands_in(atom: Atom, text: str) -> bool:
    return bool(Mentions([atom]).found(text))


def constant(atom: Atom, thread: Thread) -> bool:
    """It stands in a system message, in the tools, or in more than 30 % of 20 units and more."""
    units = catalog(thread).members
    held = sum(any(stands_in(atom, part_text(part)) for index in unit for part in thread.messages[index].parts) for unit in units)
    if len(units) >= 20 and held / len(units) > 0.3:
        return True
    fixed = [part_text(part) for message in thread.messages if message.role in ("system", "developer") for part in message.parts]
    fixed += [readable(json.dumps(tools, ensure_ascii=False)) for tools in thread.tool_sets]
    return any(stands_in(atom, text) for text in fixed)


def recorded_texts(thread: Thread, call: int, *, system: bool = False) -> Iterator[str]:
    """Searched texts of a call's recorded context."""
    for index in thread.calls[call].messages():
        if system or thread.messages[index].role not in ("system", "developer"):
            yield from map(part_text, thread.messages[index].parts)


def sent_texts(replay: Replay, call: int, *, system: bool = False) -> Iterator[str]:
    """Searched texts of what a call is sent, from its edits one by one."""
    edits = replay.edits(call)
    dropped = {edit.message for edit in edits if edit.action == "drop"}
    changed = {(edit.message, edit.part): edit.text for edit in edits if edit.action != "drop"}
    for index in replay.thread.calls[call].messages():
        message = replay.thread.messages[index]
        if index in dropped or (not system and message.role in ("system", "developer")):
            continue
        for number, part in enumerate(message.parts):
            yield readable(changed[index, number]) if (index, number) in changed else part_text(part)
    yield from (readable(insert.text) for insert in replay.inserts(call))


@cache
def corpus_thread(shared: Path, name: str) -> Thread:
    """The first thread of a file of the reference data."""
    return read_session(next((shared / "corpus").rglob(name))).threads[0]


@cache
def story(turns: int = 6) -> Thread:
    """Turns of exchanges that read a few files again and again, with results that name ids which later turns use."""
    messages: list[Said] = []
    for turn in range(turns):
        messages.append(user(f"Take ticket #{4000 + turn} and never touch config/prod_{turn}.yaml."))
        for step in range(3):
            key = f"k{turn}_{step}"
            messages.append(
                asks(key, ("read_file", "grep", "write_file")[step], path=f"src/mod_{(turn + step) % 4}.py", note=f"#{4000 + max(0, turn - 2)}")
            )
            messages.append(result(key, f"id #{5000 + turn} in src/mod_{turn % 4}.py:{turn + 10}\n" + "line of text\n" * (30 * (step + 1))))
        messages.append(says(f"Turn {turn}: #{5000 + max(0, turn - 3)} and src/mod_{turn % 4}.py are done."))
    return thread_of(*messages, system="You work on tickets.")


def uses_of(replay: Replay, call: int) -> set[Atom]:
    """Atoms that a call's reply uses and its recorded context holds."""
    thread = replay.thread
    reply = thread.calls[call].reply
    found = used(thread.messages[reply]) if reply is not None else set()
    return {atom for atom in found if not constant(atom, thread) and any(stands_in(atom, text) for text in recorded_texts(thread, call))}


def lost_of(replay: Replay, call: int) -> set[Atom]:
    """Lost references of a call; none where it is refused."""
    if replay.refused[call]:
        return set()
    texts = list(sent_texts(replay, call))
    return {atom for atom in uses_of(replay, call) if not any(stands_in(atom, text) for text in texts)}

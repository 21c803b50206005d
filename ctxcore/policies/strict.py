"""Checks of a live request before it is fitted: the refusals of the whole-unit rule, in its order.

Source: the whole-unit rule, "Refusals".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from ctxcore.errors import ContextBudgetError, shown
from ctxcore.sizes.characters import canonical_json
from ctxcore.units import PINNED_ROLES, Key, Shape

ROLES = ("system", "developer", "user", "assistant", "tool")


def refuse(kind: str, what: str) -> NoReturn:
    """Raise the refusal of this kind."""
    raise ContextBudgetError(kind, what)


def check_request(messages: object, tools: object, max_characters: object, required_task: str | None) -> list[Shape]:
    """Shapes of a request that keeps the protocol.

    Raises:
        ContextBudgetError: The first fault, in the order of the rule; sizes are not looked at.
    """
    check_limit(max_characters)
    if not isinstance(messages, list) or not messages:
        refuse("empty_request", "The request has no messages: give a non-empty list.")
    if not isinstance(tools, list):
        refuse("empty_request", f"Tools must be a list, not {type(tools).__name__}.")
    shapes: list[Shape] = []
    while len(shapes) < len(messages):
        shapes.extend(_unit_shapes(messages, len(shapes)))
    _check_task(messages, required_task)
    return shapes


def check_limit(max_characters: object) -> int:
    """The budget, if it is exactly an int of at least 1.

    Raises:
        ContextBudgetError: ``bad_budget``.
    """
    if type(max_characters) is not int or max_characters < 1:
        refuse("bad_budget", f"Budget {shown(max_characters)} is not a whole number of at least 1.")
    return max_characters


def _unit_shapes(messages: Sequence[object], position: int) -> list[Shape]:
    """Shapes of the unit that begins here."""
    message = messages[position]
    if not isinstance(message, dict):
        refuse("bad_message", f"Message {position} is {type(message).__name__}, not an object.")
    role = message.get("role")
    if not isinstance(role, str) or role not in ROLES:
        refuse("unknown_role", f"Message {position} has the role {shown(role)}; known are {', '.join(ROLES)}.")
    content = message.get("content")
    if not (isinstance(content, str) or (role == "assistant" and content is None)):
        refuse("bad_message", f"Message {position} ({role}) has content that is not text but {type(content).__name__}.")
    if role == "tool":
        refuse("orphan_result", f"Message {position} is a tool result, but no call before it waits for one.")
    if role != "assistant":
        if "tool_calls" in message:
            refuse("calls_on_wrong_role", f"Message {position} has tool_calls, but its role is {role}.")
        return [Shape(role in PINNED_ROLES, role == "user", (), ())]
    calls = message.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        refuse("calls_on_wrong_role", f"Message {position} has tool_calls that are {type(calls).__name__}, not a list.")
    keys = _call_keys(calls or [], position)
    return [Shape(pinned=False, user=False, calls=keys, results=()), *_answers(messages, position, keys)]


def _call_keys(calls: Sequence[Any], position: int) -> tuple[Key, ...]:
    keys: list[Key] = []
    for call in calls:
        if not _is_call(call) or any(key.id == call["id"] for key in keys):
            refuse("malformed_call", f"Message {position} has a malformed tool call or a repeated id: {shown(call)}.")
        keys.append(Key(call["id"], call["function"]["name"]))
    return tuple(keys)


def _is_call(call: object) -> Any:
    if not isinstance(call, dict) or call.get("type") != "function":
        return False
    function = call.get("function")
    return (
        isinstance(call.get("id"), str)
        and call["id"]
        and isinstance(function, dict)
        and isinstance(function.get("name"), str)
        and isinstance(function.get("arguments"), str)
    )


def _answers(messages: Sequence[object], position: int, keys: Sequence[Key]) -> list[Shape]:
    """Shapes of the results that must follow at once, in any order."""
    due = {key.id: key for key in keys}
    shapes: list[Shape] = []
    for place in range(position + 1, position + 1 + len(keys)):
        if place >= len(messages):
            refuse("missing_result", f"The calls of message {position} lack {len(due)} results: {', '.join(due)}.")
        answer = messages[place]
        key = due.pop(_answer_id(answer), None)
        if key is None:
            refuse("result_mismatch", f"Message {place} does not answer a waiting call of message {position} ({', '.join(due)}).")
        shapes.append(Shape(pinned=False, user=False, calls=(), results=(key,)))
    return shapes


def _answer_id(answer: object) -> str:
    """Id of the call that a well-formed result answers, or an empty string."""
    if not isinstance(answer, dict) or answer.get("role") != "tool" or not isinstance(answer.get("content"), str):
        return ""
    call_id = answer.get("tool_call_id")
    return call_id if isinstance(call_id, str) else ""


def _check_task(messages: Sequence[Mapping[str, Any]], required_task: str | None) -> None:
    task = next((m["content"] for m in reversed(messages) if m["role"] == "user"), None)
    if task is None:
        refuse("no_user_task", "No message has the role user: there is no task to keep.")
    if not task.strip():
        refuse("task_mismatch", "The last user message is blank.")
    if required_task is not None and task != required_task:
        refuse("task_mismatch", f"The last user message is not the required task: {shown(task)} instead of {shown(required_task)}.")


def measured(values: Sequence[Any], tools: Sequence[Any]) -> tuple[list[int], int]:
    """Characters of each message, and of the tool list without its brackets.

    Raises:
        ContextBudgetError: ``not_json``.
    """
    try:
        return [len(canonical_json(value)) for value in values], len(canonical_json(tools)) - len("[]")
    except (TypeError, ValueError, RecursionError) as error:
        raise ContextBudgetError("not_json", f"The request is not JSON: {error}.") from error

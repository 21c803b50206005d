"""The tool loop: ask the model, run the tools it calls, ask again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Literal

from ctxcore.counted import count
from ctxcore.errors import ContextBudgetError, InputError
from ctxcore.runtime.models import ChatMessage, HasSession, Model, NotRecorded, ToolDefinition
from ctxcore.runtime.tools import Outcome, Tool, being_cancelled, times_cancelled
from ctxcore.sizes.characters import canonical_json

Status = Literal["complete", "limit_reached", "timed_out", "failed", "cancelled"]
"""How a run ended: with an answer, at its last allowed turn, at its deadline, by the model's fault, or stopped from outside."""

OnCall = Callable[[list[ChatMessage], list[ToolDefinition], ChatMessage | None], None]
"""Gets the messages and tools of every request, and its reply; None where the model gave none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """One tool call of a run."""

    call_id: str
    """As the model gave it."""
    name: str
    """As the model gave it; may be a tool that does not exist."""
    ok: bool
    """The tool returned a value."""
    arguments: str = ""
    """As the model wrote them."""
    content: str = ""
    """Text of the tool message, whole."""
    finished: bool = True
    """False where the run ended before the tool did; such a call is a failure."""


OnTool = Callable[[ToolRun], None]
"""Gets every tool call once its result stands in the conversation: a success, a failure, or one that the end of the run left unfinished."""

CUT = ("length", "content_filter")
"""Reasons to end at which a reply is not whole. Source: OpenAI Chat Completions reference, finish_reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """How a run ended, and all that was said."""

    status: Status
    """See ``Status``; only ``complete`` has an answer."""
    reason: str
    """Why it did not complete, one sentence; empty where it did."""
    messages: tuple[ChatMessage, ...]
    """The given messages and all that followed; every tool call in it has its result, whatever the status."""
    calls: int
    """Requests that were answered."""
    tool_runs: tuple[ToolRun, ...]
    """In order; unfinished ones are failures."""
    cause: BaseException | None = None
    """The model's exception behind ``failed``, for example a ``ContextBudgetError``."""

    @property
    def text(self) -> str:
        """The answer; empty where the run did not complete."""
        content = self.messages[-1].get("content") if self.status == "complete" else ""
        return content if isinstance(content, str) else ""


async def run_agent(
    model: Model,
    messages: Sequence[ChatMessage],
    tools: Sequence[Tool] = (),
    *,
    max_turns: int = 50,
    timeout_s: float | None = None,
    tool_timeout_s: float | None = None,
    on_call: OnCall | None = None,
    max_tool_calls: int | None = None,
    on_tool: OnTool | None = None,
    memory: HasSession | None = None,
) -> RunResult:
    """Ask the model and run its tools until it answers without calling one.

    No fault of the model or of a tool raises: the first ends the run as ``failed``, the second is a result that the model sees. Cancelling the
    task that runs this ends here: the result says ``cancelled``.

    Args:
        model: Asked once per turn.
        messages: The conversation so far; copied, never changed.
        tools: What the model may call; names are unique.
        max_turns: Requests at most; the tools of the last reply still run.
        timeout_s: Seconds for the whole run, or None.
        tool_timeout_s: Seconds for each tool call, or None.
        on_call: Told of every request that was sent; its own faults do raise.
        max_tool_calls: Tool calls at most; those beyond get a failure and the run ends.
        on_tool: Told of every tool call; its own faults do raise.
        memory: A ``Memory``, or a session of one: keeps every message, and gives every request what it remembers. A ``BudgetedModel`` counts that
            against its budget.

    Raises:
        InputError: Two tools of one name, fewer than one turn, or fewer than no tool call.
    """
    if max_turns < 1:
        raise InputError(f"max_turns is {max_turns}: a run needs at least 1.")
    if max_tool_calls is not None and max_tool_calls < 0:
        raise InputError(f"max_tool_calls is {max_tool_calls}: give at least 0.")
    run = _Run(model, messages, tools, tool_timeout_s, on_call, on_tool, memory)
    try:
        async with asyncio.timeout(timeout_s) as deadline:
            return run.result(*await run.turns(max_turns, max_tool_calls, deadline))
    except _ModelFault as fault:
        return run.result("failed", str(fault), fault.__cause__)
    except TimeoutError:
        if not deadline.expired():
            raise
        return run.result("timed_out", f"Not finished within {timeout_s:g} seconds.")
    except asyncio.CancelledError:
        stop_cancelling()
        return run.result("cancelled", "The run was cancelled.")


def stop_cancelling() -> None:
    """The request to cancel is answered by the result: the task itself goes on."""
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()


class _ModelFault(Exception):
    """The model raised, or its reply is no assistant message."""


class _Run:
    """A conversation that grows."""

    def __init__(
        self,
        model: Model,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool],
        tool_timeout_s: float | None,
        on_call: OnCall | None,
        on_tool: OnTool | None,
        memory: HasSession | None,
    ) -> None:
        self.memory = None if memory is None else memory.session()
        model = model if self.memory is None else self.memory.around(model)
        self.model, self.tool_timeout_s, self.on_call, self.on_tool = model, tool_timeout_s, on_call, on_tool
        self.messages = deepcopy(list(messages))
        self.tools = {tool.name: tool for tool in tools}
        if len(self.tools) < len(tools):
            raise InputError(f"Two tools have one name: {', '.join(tool.name for tool in tools)}.")
        self.definitions = [tool.definition() for tool in tools]
        self.calls = 0
        self.cancelled_before = times_cancelled()
        self.waiting: list[ChatMessage] = []
        self.tool_runs: list[ToolRun] = []
        self.note(*self.messages)

    def note(self, *messages: ChatMessage) -> None:
        """Let the memory keep messages of the conversation."""
        if self.memory is not None:
            self.memory.note(messages)

    async def turns(self, max_turns: int, max_tool_calls: int | None, deadline: asyncio.Timeout) -> tuple[Status, str]:
        """How the conversation ends, and why it did not complete."""
        for _ in range(max_turns):
            await asyncio.sleep(0)  # a model and tools that never wait would let no deadline come
            reply = await self.ask()
            self.messages.append(reply)
            self.note(reply)
            self.waiting = list(reply.get("tool_calls") or [])
            asked = bool(self.waiting)
            self.go_on(deadline)
            while self.waiting:
                if max_tool_calls is not None and len(self.tool_runs) >= max_tool_calls:
                    return "limit_reached", f"The model called more than {max_tool_calls} tools."
                self.answer(await self.run_tool(self.waiting[0]))
                self.go_on(deadline)
            if not asked:
                return "complete", ""
        return "limit_reached", f"The model still called tools after {count(self.calls, 'turn')}."

    def go_on(self, deadline: asyncio.Timeout) -> None:
        """Nothing, unless the run is over although called code kept its cancellation to itself.

        Raises:
            TimeoutError: The deadline was met.
            CancelledError: Somebody cancelled the run.
        """
        if deadline.expired():
            raise TimeoutError
        if times_cancelled() > self.cancelled_before:
            raise asyncio.CancelledError

    async def ask(self) -> ChatMessage:
        """The model's next message, checked and told."""
        messages, tools = list(self.messages), list(self.definitions)
        try:
            reply = await self.model.complete(messages, tools)
        except ContextBudgetError as error:  # never sent, so nothing is told
            raise _ModelFault(str(error)) from error
        except NotRecorded:
            raise
        except BaseException as error:
            self.tell(messages, tools, None)
            if isinstance(error, Exception) or (isinstance(error, asyncio.CancelledError) and not being_cancelled()):
                raise _ModelFault(f"The model failed: {type(error).__name__}: {error}") from error
            raise
        fault = _reply_fault(reply)
        self.tell(messages, tools, None if fault else reply)
        if fault:
            raise _ModelFault(fault)
        self.calls += 1
        if getattr(reply, "finish_reason", "") in CUT:
            raise _ModelFault(f"The model's reply was cut off ({getattr(reply, 'finish_reason', '')}).")
        return reply

    def tell(self, messages: list[ChatMessage], tools: list[ToolDefinition], reply: ChatMessage | None) -> None:
        if self.on_call is not None:
            self.on_call(messages, tools, reply)

    async def run_tool(self, call: ChatMessage) -> Outcome:
        function = call["function"]
        tool = self.tools.get(function["name"])
        if tool is None:
            return Outcome.failure(f"No tool {function['name']!r}. There are: {', '.join(self.tools) or 'none'}.")
        return await tool.run(function["arguments"], self.tool_timeout_s)

    def answer(self, outcome: Outcome, *, finished: bool = True) -> None:
        """Give the first waiting call its result."""
        call = self.waiting.pop(0)
        self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": outcome.content})
        self.note(self.messages[-1])
        function = call["function"]
        run = ToolRun(
            call_id=call["id"],
            name=function["name"],
            ok=outcome.ok,
            arguments=function["arguments"],
            content=outcome.content,
            finished=finished,
        )
        self.tool_runs.append(run)
        if self.on_tool is not None:
            self.on_tool(run)

    def result(self, status: Status, reason: str = "", cause: BaseException | None = None) -> RunResult:
        """The end; calls that still wait get a failure, so the conversation can go on."""
        while self.waiting:
            self.answer(Outcome.failure(f"Not finished: {reason}"), finished=False)
        return RunResult(status=status, reason=reason, messages=tuple(self.messages), calls=self.calls, tool_runs=tuple(self.tool_runs), cause=cause)


def _reply_fault(reply: object) -> str:
    """What keeps a reply from being an assistant message, one sentence; empty for a good one."""
    if not isinstance(reply, dict) or reply.get("role") != "assistant":
        return f"The model's reply is no assistant message: {reply!r:.120}."
    calls = reply.get("tool_calls")
    if calls is not None and not isinstance(calls, list):
        return f"The reply's tool_calls are no list: {calls!r:.120}."
    ids = [call["id"] for call in calls or [] if _is_call(call)]
    if len(set(ids)) < len(calls or []):
        return f"The reply has a malformed tool call or a repeated id: {calls!r:.120}."
    try:
        canonical_json(reply)
    except (TypeError, ValueError, RecursionError) as error:
        return f"The reply is not JSON: {error}."
    return ""


def _is_call(call: object) -> bool:
    function = call.get("function") if isinstance(call, dict) else None
    texts = (call.get("id"), function.get("name"), function.get("arguments")) if isinstance(call, dict) and isinstance(function, dict) else ()
    return len(texts) == 3 and all(isinstance(text, str) for text in texts) and bool(texts[0])

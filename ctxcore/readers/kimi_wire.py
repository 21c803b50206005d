"""One file of Kimi records replayed: what the next request holds, and each step as a call."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from ctxcore.model import Event, Json, Message, SourceRef, Usage
from ctxcore.readers.build import ThreadDraft
from ctxcore.readers.chat_message import chat_message
from ctxcore.readers.conversation import Conversation
from ctxcore.readers.document import Document
from ctxcore.readers.kimi_message import Step, history_message, kept_messages, kimi_usage, result_message, summary_message
from ctxcore.readers.values import mapping, seconds, text, tool_list, whole

AGENT_ID = re.compile(r"\bagent_id(?::\s*|=\")([\w-]+)")
"""How the result of the tools Agent and AgentSwarm names what it started."""

LOOK_CHARS = 2_000
"""Of a tool result, for the agents it names."""

SAID_AGAIN = {
    "turn.prompt": "turn.prompt, said again by the message",
    "tools.set_active_tools": "tools.set_active_tools, names only",
    "usage.record": "usage.record, said again by the end of the step",
}
"""Records that add nothing, and why."""

STEP_EVENTS = frozenset({"content.part", "tool.call", "tool.result", "step.end"})

Value = Mapping[str, Json]


class Wire:
    """A file while it is read."""

    def __init__(self, document: Document, thread: ThreadDraft, sets: list[tuple[Json, ...]]) -> None:
        self.document, self.sets = document, sets
        self.told = Conversation(thread)
        self.used = 0
        self.skipped: Counter[str] = Counter()
        self.system: int | None = None
        self.started: dict[str, tuple[str, int, str]] = {}
        """Agent -> thread, call and what it is for."""
        self._snapshots: dict[str, int] = {}
        self._step: Step | None = None
        self._summing: tuple[Value, SourceRef] | None = None
        """The request for a summary, until that comes."""
        self._usage: Usage | None = None
        self._trigger = ""

    def read(self) -> None:
        """Fill the thread."""
        for record in self.document.records():
            value = mapping(record.value)
            kind = text(value.get("type"))
            if self._record(kind, value, self.document.source(record)):
                self.used += 1
            else:
                self.skipped[SAID_AGAIN.get(kind, f"{kind[:40]}, not part of a request" if kind else "no record")] += 1
        self._end_step({})

    def _record(self, kind: str, value: Value, source: SourceRef) -> bool:
        """True if the record says something about requests."""
        match kind:
            case "config.update":
                return self._config(value, source)
            case "llm.tools_snapshot":
                return self._tools(value)
            case "llm.request":
                self._request(value, source)
            case "context.append_message":
                self._message(history_message(value, source))
            case "context.append_loop_event":
                return self._event(mapping(value.get("event")), seconds(value.get("time")), source)
            case "usage.record":
                return self._summary_usage(value)
            case _:
                return kind == "metadata" or self._change(kind, value, source)
        return True

    def _message(self, message: Message) -> None:
        """One that comes while a step is under way is sent after the results of that step."""
        if self._step is not None and self._step.is_under_way:
            self._step.later.append(message)
        else:
            self.told.add(message)

    def _config(self, value: Value, source: SourceRef) -> bool:
        """The system prompt, which is said again after a compaction."""
        words = text(value.get("systemPrompt"))
        thread = self.told.thread
        if not words or (self.system is not None and thread.messages[self.system].text == words):
            return False
        rest = [index for index in self.told.indexes() if index != self.system]
        self.system = thread.add(chat_message({"role": "system", "content": words}, source, raw=value))
        self.told.restart([self.system, *rest])
        return True

    def _tools(self, value: Value) -> bool:
        tools = tool_list(value.get("tools"))
        if tools is None:
            return False
        found = tuple(tools)
        if found not in self.sets:
            self.sets.append(found)
        self._snapshots[text(value.get("hash"))] = self.sets.index(found)
        return True

    def _request(self, value: Value, source: SourceRef) -> None:
        """A request; one that comes while another is open tries it again."""
        if value.get("kind") == "compaction":
            self._end_step({})
            self._summing = value, source
            return
        step = self._step
        if step is None or step.asked:
            self._end_step({})
            step = self._step = Step(source, None)
        step.asked, step.source, step.at = True, source, seconds(value.get("time"))
        step.model = text(value.get("model")) or text(value.get("modelAlias"))
        step.tools = self._snapshots.get(text(value.get("toolsHash")))
        self._note_window(value)

    def _note_window(self, value: Value) -> None:
        """An answer may take the window less what was counted before: all of it as long as nothing was."""
        thread = self.told.thread
        if thread.window is None and not any(call.usage for call in thread.calls):
            thread.window = whole(value.get("maxTokens")) or None

    def _event(self, event: Value, at: float | None, source: SourceRef) -> bool:
        kind = text(event.get("type"))
        if kind == "step.begin":
            self._end_step({})
            self._step = Step(source, at, uuid=text(event.get("uuid")))
            return True
        if kind not in STEP_EVENTS:
            return False
        step = self._step = self._step or Step(source, at, uuid=text(event.get("stepUuid")))
        match kind:
            case "content.part":
                step.take(mapping(event.get("part")))
            case "tool.call":
                step.calls.append(event)
            case "tool.result":
                step.results.append(result_message(event, source, at))
            case "step.end":
                self._end_step(event)
        return True

    def _end_step(self, end: Value) -> None:
        """The open step is a call; one that brought nothing failed."""
        step, self._step = self._step, None
        if step is None:
            return
        own_id = text(end.get("messageId")) or step.uuid
        reply = step.reply(own_id)
        usage = kimi_usage(end.get("usage"))
        failed = () if reply is not None else ("failed",)
        number = self.told.reply(
            reply, model=step.model, usage=usage, id=own_id, at=step.at, source=step.source, flags=failed, tools=step.tools
        )  # fmt: skip
        for result in step.results:
            self.told.add(result)
            self._note_agents(result.results[0].text, step.title(result.results[0].call_id), number)
        for message in step.later:
            self.told.add(message)

    def _note_agents(self, words: str, title: str, number: int) -> None:
        for agent in AGENT_ID.findall(words[:LOOK_CHARS]):
            self.started[agent] = (self.told.thread.id, number, title)

    def _summary_usage(self, value: Value) -> bool:
        """The usage of a compaction stands only here."""
        if self._summing is None:
            return False
        self._usage = kimi_usage(value.get("usage"))
        return True

    def _change(self, kind: str, value: Value, source: SourceRef) -> bool:
        """True for a record that changes the history as a whole."""
        match kind:
            case "full_compaction.begin":
                self._trigger = text(value.get("source"))
            case "context.apply_compaction":
                self._end_step({})
                self._compact(value, source)
            case "full_compaction.complete" | "full_compaction.cancel":
                self._end_summing("")
            case "context.undo":
                self._end_step({})
                self._undo(whole(value.get("count")) or 0, value, source)
            case "context.clear":
                self._end_step({})
                self._cut(0, "The history was cleared.", value, source)
            case "micro_compaction.apply":
                self._note_cleared(value, source)
            case _:
                return False
        return True

    def _compact(self, value: Value, source: SourceRef) -> None:
        """The person's messages that stay, then the summary; records of an older form keep the end of the history behind the summary."""
        self._end_summing(text(value.get("summary")))
        thread = self.told.thread
        history = [index for index in self.told.indexes() if index != self.system]
        count = whole(value.get("keptUserMessageCount"))
        if count is None:
            kept, rest = [], history[whole(value.get("compactedCount")) or len(history) :]
        else:
            kept, rest = kept_messages(thread.messages, history, count, whole(value.get("keptHeadUserMessageCount")) or 0), []
        summary = thread.add(summary_message(value, source))
        self.told.restart([*(() if self.system is None else (self.system,)), *kept, summary, *rest])
        note = f"A summary and {len(kept) + len(rest)} of {len(history)} messages replace the history."
        event = Event(
            kind="compaction", call=len(thread.calls), trigger=self._trigger, before_tokens=whole(value.get("tokensBefore")),
            after_tokens=whole(value.get("tokensAfter")), summary=summary, at=seconds(value.get("time")), source=source, note=note,
        )  # fmt: skip
        thread.events.append(event)
        self._trigger = ""

    def _end_summing(self, summary: str) -> None:
        """The request for a summary is a call, whose answer is not sent as it is."""
        asked, self._summing = self._summing, None
        usage, self._usage = self._usage, None
        if asked is None:
            return
        value, source = asked
        reply = chat_message({"role": "assistant", "content": summary}, source) if summary else None
        failed = () if summary else ("failed",)
        tools = self._snapshots.get(text(value.get("toolsHash")))
        model, at = text(value.get("model")), seconds(value.get("time"))
        self.told.reply(reply, model=model, usage=usage, at=at, source=source, flags=failed, tools=tools, stays=False)

    def _undo(self, count: int, value: Value, source: SourceRef) -> None:
        """The last prompts of a person go, with all behind them."""
        asked = [place for place, index in enumerate(self.told.indexes()) if self.told.thread.messages[index].is_real_user]
        if count and asked:
            self._cut(asked[-min(count, len(asked))], f"The last {count} prompts were taken back.", value, source)

    def _cut(self, length: int, note: str, value: Value, source: SourceRef) -> None:
        thread = self.told.thread
        self.told.restart([index for place, index in enumerate(self.told.indexes()) if place < length or index == self.system])
        thread.events.append(Event(kind="rollback", call=len(thread.calls), at=seconds(value.get("time")), source=source, note=note))

    def _note_cleared(self, value: Value, source: SourceRef) -> None:
        thread = self.told.thread
        note = (
            f"Long tool results among the first {whole(value.get('cutoff')) or 0} messages were cleared; which ones is not recorded, sizes count all."
        )
        thread.events.append(Event(kind="microcompaction", call=len(thread.calls), at=seconds(value.get("time")), source=source, note=note))

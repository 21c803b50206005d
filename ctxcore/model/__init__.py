"""The values that everything else works on: a session and what it holds.

All values are immutable. A session is what a reader made of one recorded log; nothing later changes it.
Times are Unix seconds (UTC). ``None`` is unknown and is never shown as zero.
"""

from __future__ import annotations

from ctxcore.model.calls import Call, Usage
from ctxcore.model.events import Event, JournalEntry
from ctxcore.model.messages import Message
from ctxcore.model.parts import Media, Other, Part, Reasoning, Text, ToolCall, ToolResult
from ctxcore.model.places import Ledger, Problem, SourceRef
from ctxcore.model.sessions import Session
from ctxcore.model.threads import Thread
from ctxcore.model.words import Basis, Injected, Json, Known, Level, ThreadKind

__all__ = [
    "Basis",
    "Call",
    "Event",
    "Injected",
    "JournalEntry",
    "Json",
    "Known",
    "Ledger",
    "Level",
    "Media",
    "Message",
    "Other",
    "Part",
    "Problem",
    "Reasoning",
    "Session",
    "SourceRef",
    "Text",
    "Thread",
    "ThreadKind",
    "ToolCall",
    "ToolResult",
    "Usage",
]

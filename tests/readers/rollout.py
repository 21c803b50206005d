"""Small Codex rollouts for tests, line by line."""

from __future__ import annotations

import json
from typing import Any

from ctxcore import Session, read_session
from ctxcore.model import Thread


def line(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": "2026-01-05T10:00:00.000Z", "type": kind, "payload": payload}


def meta(**more: Any) -> dict[str, Any]:
    return line("session_meta", id="s-1", cwd="/demo", originator="codex-tui", cli_version="0.140.0", **more)


def said(role: str, *texts: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return line("response_item", type="message", role=role, content=[{"type": kind, "text": text} for text in texts])


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return line("response_item", type=kind, **fields)


def asks(call_id: str, name: str = "exec_command") -> dict[str, Any]:
    return item("function_call", name=name, arguments='{"cmd":"ls"}', call_id=call_id)


def answers(call_id: str, output: Any = "ok") -> dict[str, Any]:
    return item("function_call_output", call_id=call_id, output=output)


def event(kind: str, **fields: Any) -> dict[str, Any]:
    return line("event_msg", type=kind, **fields)


def usage(input_tokens: int, output_tokens: int) -> dict[str, int]:
    return {
        "input_tokens": input_tokens,
        "cached_input_tokens": 0,
        "output_tokens": output_tokens,
        "reasoning_output_tokens": 0,
        "total_tokens": input_tokens + output_tokens,
    }


def count(total: tuple[int, int], last: tuple[int, int], window: int = 1000) -> dict[str, Any]:
    info = {"total_token_usage": usage(*total), "last_token_usage": usage(*last), "model_context_window": window}
    return event("token_count", info=info, rate_limits=None)


def session(*lines: Any) -> Session:
    return read_session("\n".join(x if isinstance(x, str) else json.dumps(x) for x in lines).encode(), "rollout.jsonl")


def texts(thread: Thread, call: int) -> list[str]:
    """What a call received, message by message."""
    return [thread.messages[i].text for i in thread.calls[call].messages()]

"""ctxcore: what an agent's model really received at every call, and what a budget would have kept or dropped."""

from __future__ import annotations

from ctxcore.errors import ContextBudgetError, CtxscopeError, InputError, ReadError
from ctxcore.fitting import FitReport, FittedMessages, PreparedContext, fit_context, fit_messages
from ctxcore.model import Call, Message, Problem, Session, Thread
from ctxcore.readers.detect import read_session, read_sessions
from ctxcore.replay import Replay, Sweep, replay, sweep
from ctxcore.runtime.budgeted import BudgetedModel
from ctxcore.runtime.recorder import Recorder

__version__ = "0.1.0"

__all__ = [
    "BudgetedModel",
    "Call",
    "ContextBudgetError",
    "CtxscopeError",
    "FitReport",
    "FittedMessages",
    "InputError",
    "Message",
    "PreparedContext",
    "Problem",
    "ReadError",
    "Recorder",
    "Replay",
    "Session",
    "Sweep",
    "Thread",
    "fit_context",
    "fit_messages",
    "read_session",
    "read_sessions",
    "replay",
    "sweep",
]

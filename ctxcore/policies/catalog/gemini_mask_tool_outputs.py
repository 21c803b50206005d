"""Gemini CLI's masking of tool outputs: what is behind the newest ones goes to a file, and a preview stays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ctxcore.policies.clipping import ends
from ctxcore.policies.edits import Plan, rewritten
from ctxcore.policies.history import History
from ctxcore.policies.planned import PlannedPolicy
from ctxcore.policies.protocol import Parameter
from ctxcore.policies.pruning import Batch, newest_side, prune, pruned, results

RULE = "Tool output behind those protected, moved to a file in a batch"

EXEMPT = ("activate_skill", "ask_user", "enter_plan_mode", "exit_plan_mode")

SHELL = "run_shell_command"

PREVIEW_CHARS = 250
"""At each end of an output. Source: as below."""

PREVIEW_LINES = 10
"""At each end of a shell's output. Source: as below."""


@dataclass(frozen=True, slots=True)
class GeminiMaskToolOutputs(PlannedPolicy):
    """What is masked stays masked."""

    protect: int | None = None
    minimum: int | None = None
    protect_latest: bool = True
    exempt_tools: tuple[str, ...] = EXEMPT

    name: ClassVar[str] = "gemini-mask-tool-outputs"
    title: ClassVar[str] = "Gemini CLI: mask tool outputs"
    about: ClassVar[str] = (
        "Before each call, walks back over the tool outputs, protects the newest by size, and, if all older ones are worth it together, moves"
        " each of them to a file and leaves its beginning and end, where that is shorter. The newest message is not looked at. The original "
        "counts by its own estimate of tokens; the budget only tells which requests are refused."
    )
    source: ClassVar[str] = "Gemini CLI, packages/core/src/context/toolOutputMaskingService.ts at 5411f113."
    rejects: ClassVar[str] = "Nothing: every call keeps a result. The middle of a masked output is in a file that the agent has to read again."
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(name="protect", type="size", default=None, help="Size of the newest outputs that stay; upstream 50,000 tokens."),
        Parameter(name="minimum", type="size", default=None, help="Only a batch of at least this size goes; upstream 30,000 tokens."),
        Parameter(name="protect_latest", type="bool", default=True, help="Do not look at the newest message, all results of one reply together."),
        Parameter(name="exempt_tools", type="names", default=EXEMPT, help="Tools whose outputs stay."),
    )

    def plan(self, history: History, budget: int) -> Plan:
        """See ``PlannedPolicy.plan``."""
        every = results(history, without=self.exempt_tools)
        every = every[history.pieces.chars[every] > 0]

        def text(piece: int) -> str:
            return masked(history, piece)

        size, freed = history.pieces.size[every], rewritten(history, every, text)
        saves = freed > 0
        end = newest_side(history) if self.protect_latest else history.length
        reach = np.searchsorted(history.pieces.message[every], end).tolist()
        gone = prune(size, reach, self._batch(history), stays=np.where(saves, 0, size))
        saved = np.concatenate(([0], np.cumsum(saves)))[gone].astype(np.int64)
        return Plan(
            layers=(pruned(history, RULE, every[saves], saved, freed[saves], text),),
            assumed=("The name of the file is made up; an output's text is previewed as it stands, not its JSON.",),
        )

    def _batch(self, history: History) -> Batch:
        worth = history.tokens(30_000) if self.minimum is None else self.minimum
        return Batch(protect=history.tokens(50_000) if self.protect is None else self.protect, worth=lambda size: size >= worth)


def masked(history: History, piece: int) -> str:
    """What stands in place of an output."""
    number = int(history.pieces.tool[piece])
    tool = history.pieces.tools[number] if number >= 0 else "unknown_tool"
    text = history.text(piece)
    shown = _by_lines(text) if tool == SHELL else _by_chars(text)
    return f"<tool_output_masked>\n{shown}\n\nOutput too large. Full output available at: tool-outputs/{tool}_{piece}.txt\n</tool_output_masked>"


def _by_chars(text: str) -> str:
    return text if len(text) <= 2 * PREVIEW_CHARS else ends(text, PREVIEW_CHARS, PREVIEW_CHARS, "\n... [TRUNCATED] ...\n")


def _by_lines(text: str) -> str:
    lines = text.split("\n")
    left = len(lines) - 2 * PREVIEW_LINES
    if left <= 0:
        return text
    return "\n".join((*lines[:PREVIEW_LINES], "", f"... [{left} lines omitted] ...", "", *lines[-PREVIEW_LINES:]))

"""Every error that ctxcore raises on purpose.

    CtxscopeError
    ├── ContextBudgetError (also ValueError)  a request that the whole-unit rule refuses
    ├── InputError (also ValueError)          a budget, policy, thread or option that makes no sense
    └── ReadError                             a file that gives no session
        ├── UnreadableFile                    missing, a directory, empty, cut, not text, not JSON
        ├── FileTooBig                        over the stated cap, packed or unpacked
        └── FormatNotRecognized               read, but no reader knows it

Facts are attributes; ``str()`` composes the sentence that a user sees.
"""

from __future__ import annotations

from collections.abc import Sequence


class CtxscopeError(Exception):
    """Root of the tree; catch it to catch everything that ctxcore raises on purpose."""


class ContextBudgetError(CtxscopeError, ValueError):
    """A request that the whole-unit rule refuses.

    Attributes:
        kind: One of the kinds of the rule, for example ``over_budget`` or ``orphan_result``.
        missing: Characters that are missing after every cut; None for other kinds than ``over_budget``.
    """

    def __init__(self, kind: str, message: str, *, missing: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.missing = missing


class InputError(CtxscopeError, ValueError):
    """A value given by the user that makes no sense; the sentence says what was expected."""


class ReadError(CtxscopeError):
    """A file that gives no session.

    Attributes:
        name: The file's name as given.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class UnreadableFile(ReadError):
    """Missing, a directory, empty, cut, not text or not JSON.

    Attributes:
        what: What is wrong, a clause.
        where: Line and byte, or empty.
        advice: What to do now, a clause.
    """

    def __init__(self, name: str, what: str, *, where: str = "", advice: str = "") -> None:
        self.what, self.where, self.advice = what, where, advice
        place = f" ({where})" if where else ""
        super().__init__(name, f"{name}: {what}{place}." + (f" {advice}." if advice else ""))


class FileTooBig(ReadError):
    """Over the stated cap.

    Attributes:
        size_bytes: What was met, or None where reading stopped at the cap.
        cap_bytes: The cap in force.
    """

    def __init__(self, name: str, *, cap_bytes: int, size_bytes: int | None = None, unpacked: bool = False) -> None:
        self.size_bytes, self.cap_bytes = size_bytes, cap_bytes
        met = f"{size_bytes / 2**20:,.0f} MB" if size_bytes is not None else "more"
        state = " when unpacked" if unpacked else ""
        super().__init__(
            name,
            f"{name}: {met}{state}, the limit is {cap_bytes / 2**20:,.0f} MB. "
            "Split the recording, or raise the limit with CTXSCOPE_MAX_MB before starting.",
        )


class FormatNotRecognized(ReadError):
    """Read, but no reader knows it.

    Attributes:
        seen: What the file looks like, a clause.
        looked_for: One line per format: its name and its marks.
    """

    def __init__(self, name: str, *, seen: str, looked_for: Sequence[str]) -> None:
        self.seen, self.looked_for = seen, tuple(looked_for)
        super().__init__(
            name,
            f"{name}: no known session format. Seen: {seen}. Looked for: {'; '.join(self.looked_for)}.",
        )

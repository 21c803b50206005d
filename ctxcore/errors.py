"""Every error that ctxcore raises on purpose.

    CtxscopeError
    ├── ContextBudgetError (also ValueError)  a request that the whole-unit rule refuses
    ├── InputError (also ValueError)          a budget, policy, thread or option that makes no sense
    │   └── PluginError                       code of a plug-in that failed
    ├── EndpointError                         a model's endpoint that gave no usable answer
    └── ReadError                             a file that gives no session
        ├── UnreadableFile                    missing, a folder, empty, cut, not text, not JSON
        ├── FileTooBig                        over the stated cap, packed or unpacked
        ├── TooManyFiles                      more files than are read
        ├── FormatNotRecognized               read, but no reader knows it
        │   └── FormatNotReadYet              known by its marks, but there is no reader for it
        ├── FormatAmbiguous                   more than one reader knows it
        ├── NotThisFormat                     not a session of the format that was asked for
        └── ReaderPluginError                 a reader of another package that failed

Facts are attributes; ``str()`` composes the sentence that a user sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from reprlib import Repr
from typing import Literal


class _Short(Repr):
    """``repr`` that is short, does not go deep and does not fail."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel, self.maxstring, self.maxother = 3, 80, 80

    def repr_int(self, x: int, level: int) -> str:
        """Digits, or how many bits there are where Python refuses to write so many digits."""
        try:
            return super().repr_int(x, level)
        except ValueError:
            return f"<an integer of {x.bit_length():,} bits>"


def shown(value: object) -> str:
    """Any value in a few words of a sentence."""
    return f"{_Short().repr(value):.120}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` Did you mean 'x'?`` for what is nearest to a name that is not known, with the space in front; empty where nothing is near.

    Args:
        name: As given.
        known: Names that there are.
    """
    names = {one.casefold(): one for one in known}
    asked = name.casefold()
    near = get_close_matches(asked, names, n=1, cutoff=0.6) or [one for one in names if asked and one.startswith(asked)][:1]
    return f" Did you mean {shown(names[near[0]])}?" if near else ""


class CtxscopeError(Exception):
    """Root of the tree; catch it to catch everything that ctxcore raises on purpose."""

    @property
    def details(self) -> tuple[str, ...]:
        """What else there is to say, one line each: shown where somebody asks for it."""
        return ()


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


class PluginError(InputError):
    """Code of a plug-in failed; the values it worked on are not told.

    Attributes:
        plugin: The file or package.
        policy: Name of the policy, or of another part of it.
        kind: Type of what it raised.
        line: Of the plug-in, the innermost one that was running; None where none was.
    """

    def __init__(self, plugin: str, policy: str, kind: str, line: int | None, *, why: str = "", part: str = "policy") -> None:
        self.plugin, self.policy, self.kind, self.line = plugin, policy, kind, line
        place = "" if line is None else f" at its line {line:,}"
        told = why or f"it raised {kind}{place}"
        super().__init__(f"The plug-in {plugin} failed in its {part} {policy}: {told}.")


EndpointFault = Literal["refused", "unreachable", "timed_out", "bad_answer"]
"""An HTTP error, no connection or one that broke, no answer in time, or an answer that is no chat completion."""

RETRIED_STATUSES = frozenset({408, 409, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may succeed."""


class EndpointError(CtxscopeError):
    """An endpoint gave no usable answer.

    Attributes:
        kind: What went wrong in the last attempt.
        what: The same as a sentence.
        status: HTTP status of the last attempt, or None.
        attempts: Requests that were made.
        retry_after_s: Seconds after which the server wants to be asked again, or None.
    """

    def __init__(self, kind: EndpointFault, what: str, *, status: int | None = None, attempts: int = 1, retry_after_s: float | None = None) -> None:
        super().__init__(what if attempts == 1 else f"{what} Asked {attempts} times.")
        self.kind, self.what, self.status, self.attempts, self.retry_after_s = kind, what, status, attempts, retry_after_s

    @property
    def passes(self) -> bool:
        """The same request may succeed later."""
        return self.kind in ("unreachable", "timed_out") or self.status in RETRIED_STATUSES


class ReadError(CtxscopeError):
    """A file that gives no session.

    Attributes:
        name: The file's name as given.
    """

    question = ""
    """Where naming a format may help: the sentence without how to, for a place that has a choice of formats below it; else empty."""
    formats: tuple[str, ...] = ()
    """Names of the formats that come into question first."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class UnreadableFile(ReadError):
    """Missing, a folder, empty, cut, not text or not JSON.

    Attributes:
        what: What is wrong, a clause.
        where: Line and byte, or empty.
        advice: What to do now, a clause, or a question with its mark.
    """

    def __init__(self, name: str, what: str, *, where: str = "", advice: str = "") -> None:
        self.what, self.where, self.advice = what, where, advice
        place = f" ({where})" if where else ""
        end = "" if advice.endswith("?") else "."
        super().__init__(name, f"{name}: {what}{place}" + (f"; {advice}{end}" if advice else "."))


class FileTooBig(ReadError):
    """Over the stated cap.

    Attributes:
        size_bytes: What was met, or None where reading stopped at the cap.
        cap_bytes: The cap in force.
        packed_bytes: Size before unpacking, where the cap follows from it, else None.
        ratio: Of unpacked to packed bytes, where that is the cap.
    """

    def __init__(self, name: str, *, cap_bytes: int, size_bytes: int | None = None, packed_bytes: int | None = None, ratio: int = 0) -> None:
        self.size_bytes, self.cap_bytes, self.packed_bytes, self.ratio = size_bytes, cap_bytes, packed_bytes, ratio
        limit = f"{cap_bytes / 2**20:,.0f} MB"
        if packed_bytes is not None:
            what = f"{packed_bytes:,} bytes unpack to more than {limit}, over {ratio:,} times as much, as no recording does"
            advice = "this limit cannot be raised: unpack it yourself and open the result if you trust it"
        else:
            met = "it unpacks to more than" if size_bytes is None else f"it has {size_bytes / 2**20:,.0f} MB, more than"
            what = f"{met} the limit of {limit}"
            advice = "split the recording, or raise the limit with CTXSCOPE_MAX_MB before starting"
        super().__init__(name, f"{name}: {what}; {advice}.")


class TooManyFiles(ReadError):
    """A folder, or an upload whose archives hold more files than are read.

    Attributes:
        files: Met before reading stopped.
        most: The limit.
    """

    def __init__(self, name: str, *, files: int, most: int, folder: bool = False) -> None:
        self.files, self.most = files, most
        what, advice = ("it holds", "name a folder in it") if folder else ("its archives hold", "zip fewer of them")
        super().__init__(name, f"{name}: {what} {files:,} files or more, and at most {most:,} are read; {advice}.")


MOST_ASKED = ("claude-code", "codex-cli", "gemini-cli", "openai-chat", "anthropic-messages", "langgraph", "otel-genai")
"""Formats that a refusal names; the others are a command away."""


class FormatNotRecognized(ReadError):
    """Read, but no reader knows it.

    Attributes:
        seen: What the file looks like, a clause.
        looked_for: One line per format: its name and its marks.
    """

    def __init__(self, name: str, *, seen: str, looked_for: Sequence[str]) -> None:
        self.seen, self.looked_for = seen, tuple(looked_for)
        names = {line.partition(" (")[0] for line in looked_for}
        first = [name for name in MOST_ASKED if name in names]
        known = f"read are {', '.join(first)} and {len(names) - len(first)} more" if first else "none of those that are read"
        advice = "ctxscope formats lists them all, and --format NAME reads the file as one of them"
        super().__init__(name, f"{name}: no known session format; seen: {seen}; {known}, {advice}.")
        self.question = f"{name}: no known session format; seen: {seen}. If you know what it is, say so below."

    @property
    def details(self) -> tuple[str, ...]:
        """What was looked for."""
        return ("Looked for:", *self.looked_for)


class FormatNotReadYet(FormatNotRecognized):
    """Known by its marks, but there is no reader for it.

    Attributes:
        known_as: The format's name.
        advice: What to record or open instead, a clause, or empty.
    """

    def __init__(self, name: str, *, known_as: str, looked_for: Sequence[str], advice: str = "") -> None:
        super().__init__(name, seen=known_as, looked_for=looked_for)
        self.known_as, self.advice = known_as, advice
        what = f"this is {known_as}, of which no session can be made" + (f"; {advice}" if advice else "")
        self.args = (f"{name}: {what}; ctxscope formats lists what can be read.",)
        self.question = ""


class FormatAmbiguous(ReadError):
    """Has the marks of several formats, none of them more special than the others.

    Attributes:
        formats: Their names.
    """

    def __init__(self, name: str, *, formats: Sequence[str]) -> None:
        self.formats = tuple(formats)
        listed = " and ".join((", ".join(self.formats[:-1]), self.formats[-1]))
        advice = f"say which one it is with --format {self.formats[0]} (or format={self.formats[0]!r})"
        what = f"{name}: it has the marks of {len(self.formats)} formats, {listed}"
        super().__init__(name, f"{what}; {advice}.")
        self.question = f"{what}. Say below which one it is."


class NotThisFormat(ReadError):
    """Gives no session when it is read as the format that was asked for.

    Attributes:
        format: The format's name.
        looked_for: Its marks, in words.
        seen: What the file looks like, a clause.
    """

    def __init__(self, name: str, *, format: str, looked_for: str, seen: str) -> None:
        self.format, self.looked_for, self.seen = format, looked_for, seen
        what = f"read as {format} it holds no message; seen: {seen}; looked for: {looked_for}"
        super().__init__(name, f"{name}: {what}; leave the format out to have it found.")
        self.question = f"{name}: {what}. Choose another format below."


class ReaderPluginError(ReadError):
    """A reader of another package failed; the values it worked on are not told.

    Attributes:
        plugin: The package.
        format: The format's name.
        what: Type of what it raised, and its line where one was running.
    """

    def __init__(self, name: str, *, plugin: str, format: str, what: str) -> None:
        self.plugin, self.format, self.what = plugin, format, what
        super().__init__(name, f"{name}: the package {plugin} failed to read it as {format}: it raised {what}; another --format reads without it.")

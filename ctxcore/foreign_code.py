"""Code of the user's own that the program runs: a plug-in, a file of rules. Whatever it raises is told in one sentence of ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from traceback import walk_tb

from ctxcore.errors import InputError


@contextmanager
def loading(what: str, files: Sequence[str] = ()) -> Iterator[None]:
    """Say of whatever the block raises that this code cannot be run; only a wish to stop goes on as it is.

    Args:
        what: The code for people, the beginning of a sentence.
        files: Paths of the code, whose line is told.

    Raises:
        InputError: The block raised anything, an end of the program (``SystemExit``) included: a gate that ends with 0 would seem to be passed.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        place = "" if (line := line_in(error, files)) is None else f" at its line {line:,}"
        raise InputError(f"{what} cannot be run: {type(error).__name__}: {shortest(error)}{place}.") from error


def line_in(error: BaseException, files: Sequence[str]) -> int | None:
    """The innermost line of these files that was running; the line of a syntax error in one of them."""
    lines = [number for frame, number in walk_tb(error.__traceback__) if frame.f_code.co_filename in files]
    if isinstance(error, SyntaxError) and error.filename in files:
        lines.append(error.lineno or 1)
    return lines[-1] if lines else None


def shortest(error: BaseException) -> str:
    """The message of an exception in one short line, without its full stop."""
    try:
        said = str(error)
    except BaseException:  # noqa: BLE001 - the exception is foreign code too
        said = ""
    return " ".join(said.split())[:200].rstrip(".") or "no message"

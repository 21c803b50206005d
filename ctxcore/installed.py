"""What other installed packages add by entry points; loading such code may raise anything."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

from ctxcore.errors import InputError
from ctxcore.foreign_code import shortest


def load_point(point: EntryPoint, what: str, *, made: bool = False) -> Any:
    """What an entry point names.

    Args:
        point: Of a package.
        what: It adds, for the sentence: a format, a policy, a rule.
        made: Of a class an instance is wanted.

    Raises:
        InputError: The package's code cannot be loaded; the sentence names it and what was raised.
    """
    try:
        found = point.load()
        return found() if made and isinstance(found, type) else found
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # importing a module may end the program
        raise InputError(
            f"The {what} {point.name} of the package {package_of(point)} cannot be loaded: it raised {type(error).__name__} ({shortest(error)})."
        ) from error


def package_of(point: EntryPoint) -> str:
    """The package that an entry point is of, as it was installed."""
    return point.dist.name if point.dist else point.value

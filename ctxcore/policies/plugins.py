"""Policies of the user's own: an entry point of the group ``ctxscope.policies``, or a Python file named when the program starts.

Such code runs. It therefore never comes from an upload or from a page, only from who starts the program.
"""

from __future__ import annotations

import importlib.util
import inspect
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, cast

from ctxcore.errors import InputError
from ctxcore.policies.catalog import POLICIES
from ctxcore.policies.protocol import Policy

GROUP = "ctxscope.policies"
"""Entry point group."""

NEEDED = ("name", "title", "about", "source", "rejects", "needs_summary", "parameters", "fit")
"""What a policy's class must have; a subclass of ``PlannedPolicy`` has ``fit``."""

TEXTS = ("name", "title", "about", "source", "rejects")
"""Those of them that are texts."""

_from_files: dict[str, type[Policy]] = {}


def all_policies() -> tuple[type[Policy], ...]:
    """Every policy: those that ship, default first, then those of other packages and of files."""
    return (*POLICIES, *_from_packages(), *_from_files.values())


@lru_cache(maxsize=1)
def _from_packages() -> tuple[type[Policy], ...]:
    return tuple(_checked(point.load(), f"entry point {point.name}") for point in _points())


def _points() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def load_plugin(path: str | Path) -> tuple[type[Policy], ...]:
    """Policies that a Python file defines; they count as known from then on.

    Args:
        path: Of the file. It is run.

    Raises:
        InputError: It cannot be read or run, it defines no policy, or one whose name is taken.
    """
    file = Path(path)
    spec = importlib.util.spec_from_file_location(f"ctxscope_plugin_{file.stem}", file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise InputError(f"The plug-in {file} is no Python file that can be read. Name a file that ends in .py.")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise InputError(f"The plug-in {file} cannot be run: {type(error).__name__}: {error}.") from error
    found = [value for value in vars(module).values() if inspect.isclass(value) and value.__module__ == module.__name__ and hasattr(value, "fit")]
    kinds = tuple(_checked(value, str(file)) for value in found if not inspect.isabstract(value))
    if not kinds:
        raise InputError(f"The plug-in {file} defines no policy. Write a subclass of ctxcore.policies.PlannedPolicy with plan(history, budget).")
    for kind in kinds:
        _add(kind, str(file))
    return kinds


def _add(kind: type[Policy], where: str) -> None:
    taken = {known.name for known in all_policies() if known.name not in _from_files}
    if kind.name in taken:
        raise InputError(f"The plug-in {where} calls a policy {kind.name!r}, and there is one of that name. Give it another.")
    _from_files[kind.name] = kind


def _checked(kind: Any, where: str) -> type[Policy]:
    """A class that has all that a policy needs.

    Raises:
        InputError: It lacks something.
    """
    lacking = [name for name in NEEDED if not hasattr(kind, name)]
    if not lacking:
        lacking = [f"a text as {name}" for name in TEXTS if not isinstance(getattr(kind, name), str)]
        lacking += [] if isinstance(kind.parameters, tuple) else ["a tuple as parameters"]
    if lacking:
        raise InputError(f"The policy {getattr(kind, '__name__', kind)} of {where} lacks {', '.join(lacking)}.")
    return cast("type[Policy]", kind)

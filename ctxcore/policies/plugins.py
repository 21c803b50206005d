"""Policies of the user's own: an entry point of the group ``ctxscope.policies``, or a Python file named when the program starts.

Such code runs. It therefore never comes from an upload or from a page, only from who starts the program.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from traceback import walk_tb
from typing import Any, cast

from ctxcore.columns import IntArray
from ctxcore.errors import CtxscopeError, InputError, PluginError
from ctxcore.foreign_code import line_in, loading
from ctxcore.installed import load_point, package_of
from ctxcore.policies.catalog import POLICIES
from ctxcore.policies.protocol import Fits, Policy, Timeline

GROUP = "ctxscope.policies"
"""Entry point group."""

NEEDED = ("name", "title", "about", "source", "rejects", "needs_summary", "parameters", "fit")
"""What a policy's class must have; a subclass of ``PlannedPolicy`` has ``fit``."""

TEXTS = ("name", "title", "about", "source", "rejects")
"""Those of them that are texts."""

_from_files: dict[str, type[Policy]] = {}

_files: dict[type[Policy], str] = {}
"""File that defines a policy."""

_faults: list[str] = []
"""Sentences on the policies of packages that are left out."""


def all_policies() -> tuple[type[Policy], ...]:
    """Every policy: those that ship, default first, then those of other packages and of files."""
    return (*POLICIES, *_from_packages(), *_from_files.values())


@lru_cache(maxsize=1)
def _from_packages() -> tuple[type[Policy], ...]:
    found: list[type[Policy]] = []
    _faults.clear()
    for point in entry_points(group=GROUP):
        try:
            found.append(_checked(load_point(point, "policy"), f"the package {package_of(point)}"))
        except InputError as error:
            _faults.append(f"{error} It is left out.")
    return tuple(found)


def left_out() -> tuple[str, ...]:
    """What is wrong with policies of other packages that cannot be used, one sentence each; those looked at so far."""
    return tuple(_faults)


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
    with loading(f"The plug-in {file}", (str(file),)):
        spec.loader.exec_module(module)
    found = [value for value in vars(module).values() if inspect.isclass(value) and value.__module__ == module.__name__ and hasattr(value, "fit")]
    kinds = tuple(_checked(value, str(file)) for value in found if not inspect.isabstract(value))
    if not kinds:
        raise InputError(f"The plug-in {file} defines no policy. Write a subclass of ctxcore.policies.PlannedPolicy with plan(history, budget).")
    for kind in kinds:
        _add(kind, str(file))
    return kinds


def made(kind: type[Policy], settings: Mapping[str, Any]) -> Policy:
    """A policy with its settings; a plug-in's constructor may raise anything.

    Raises:
        PluginError: It did.
    """
    with _told(kind):
        return kind(**settings)


def fitted(policy: Policy, timeline: Timeline, budgets: IntArray) -> Fits:
    """What ``policy.fit`` answers; a plug-in may raise anything, or answer with anything.

    Args:
        policy: Any.
        timeline: As for ``Policy.fit``.
        budgets: As for ``Policy.fit``.

    Raises:
        PluginError: It did.
    """
    with _told(type(policy)):
        fits: Any = policy.fit(timeline, budgets)
    if not isinstance(fits, Fits):
        raise PluginError(*_plugin_of(type(policy))[:2], "TypeError", None, why=f"fit returned {type(fits).__name__}, and it must return Fits")
    return fits


@contextmanager
def _told(kind: type[Policy]) -> Iterator[None]:
    """Say of whatever the block raises, an end of the program included, which plug-in it comes from; policies that ship raise on."""
    try:
        yield
    except (CtxscopeError, KeyboardInterrupt):
        raise
    except BaseException as error:
        if kind in POLICIES:
            raise
        raise _fault(kind, error) from error


def plugin_fault(error: BaseException) -> PluginError | None:
    """What to say of an exception that a plug-in's code raised while its edits were looked at; None where no plug-in was running.

    Args:
        error: As caught.
    """
    running = [kind for kind in (*_from_files.values(), *_from_packages()) if line_in(error, _plugin_of(kind)[2]) is not None]
    selves = [type(frame.f_locals.get("self")) for frame, _ in walk_tb(error.__traceback__)]
    inner = next((kind for kind in reversed(selves) if kind in running), None)
    if inner is not None or len(running) == 1:
        return _fault(inner or running[0], error)
    if not running:
        return None
    fault = _fault(running[0], error)
    names = " or ".join(str(kind.name) for kind in running if _plugin_of(kind)[0] == fault.plugin)
    return PluginError(fault.plugin, names, fault.kind, fault.line)


def _fault(kind: type[Policy], error: BaseException) -> PluginError:
    plugin, policy, files = _plugin_of(kind)
    return PluginError(plugin, policy, type(error).__name__, line_in(error, files))


def _plugin_of(kind: type[Policy]) -> tuple[str, str, tuple[str, ...]]:
    """Where a policy's class comes from, for people; its name; and the file of its code."""
    module = sys.modules.get(kind.__module__)
    file = _files.get(kind) or str(getattr(module, "__file__", "") or "")
    return file or kind.__module__, str(getattr(kind, "name", kind.__name__)), (file,) if file else ()


def home(kind: type[Policy]) -> str:
    """The plug-in that a policy comes from: the file without its ending, or the package; empty for one that ships."""
    if kind in POLICIES:
        return ""
    return Path(_files[kind]).stem if kind in _files else kind.__module__.partition(".")[0]


def _add(kind: type[Policy], where: str) -> None:
    taken = {known.name for known in all_policies() if known.name not in _from_files}
    if kind.name in taken:
        raise InputError(f"The plug-in {where} calls a policy {kind.name!r}, and there is one of that name. Give it another.")
    _from_files[kind.name] = kind
    _files[kind] = where


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

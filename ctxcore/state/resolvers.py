"""Resolvers by name: the embedded one, those of installed packages, and one from a Python file named when the program starts."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from ctxcore.errors import InputError, PluginError
from ctxcore.foreign_code import line_in, loading
from ctxcore.installed import load_point
from ctxcore.state.resolver import MOST_CONFIDENT, Entry, LexicalResolver, Resolved, Resolver

GROUP = "ctxscope.resolvers"
"""Entry points of other packages: a name, and a class or function that makes a resolver of a catalogue."""

LEXICAL = "lexical"
"""The embedded one."""

OverCatalogue = Callable[[Sequence[Entry]], Resolver]
"""Makes a resolver for the things that a conversation's tools have listed."""

_LOADED: dict[str, OverCatalogue] = {}


def load_resolver(path: str | Path) -> str:
    """Run a Python file and add what it calls `RESOLVER`. Only for paths that stand on the command line.

    Returns:
        Its name: that of the file without the ending.

    Raises:
        InputError: It cannot be read or run, or has no such name.
    """
    with loading(f"The file of a resolver {path}", (str(path),)):
        names = runpy.run_path(str(path))
    maker = names.get("RESOLVER")
    if not callable(maker):
        raise InputError(f"{path} gives no resolver: it needs RESOLVER, a class or function that takes the catalogue.")
    _LOADED[Path(path).stem] = maker
    return Path(path).stem


def resolver_named(name: str) -> OverCatalogue:
    """What makes a resolver: loaded from a file, the embedded one, or installed.

    Raises:
        InputError: No such resolver.
    """
    found = _LOADED.get(name) or (LexicalResolver if name == LEXICAL else _installed(name))
    if found is None:
        raise InputError(f"No resolver {name!r:.80}. Known is {LEXICAL}; give the file of another with --resolver, or install its package.")
    return found


@cache
def _installed(name: str) -> OverCatalogue | None:
    point = next(iter(entry_points(group=GROUP, name=name)), None)
    maker: OverCatalogue | None = load_point(point, "resolver") if point else None
    return maker


def resolved(name: str, catalogue: tuple[Entry, ...], mention: str) -> Resolved | None:
    """What a mention means, by the resolver of this name; never surer than `MOST_CONFIDENT`.

    Args:
        name: Of a resolver.
        catalogue: Things that can be meant.
        mention: Words of the user.

    Raises:
        InputError: No such resolver.
        PluginError: It raised something, or answered with a thing or a place that is not there.
    """
    maker = resolver_named(name)
    if maker is LexicalResolver:
        return _over(maker, catalogue).resolve(mention)
    try:
        found: Any = _over(maker, catalogue).resolve(mention)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _fault(name, maker, error) from error
    return None if found is None else _checked(name, maker, found, catalogue, mention)


@lru_cache(maxsize=8)
def _over(maker: OverCatalogue, catalogue: tuple[Entry, ...]) -> Resolver:
    """One for each catalogue: a model may take long to get ready."""
    return maker(catalogue)


def _checked(name: str, maker: OverCatalogue, found: Any, catalogue: Sequence[Entry], mention: str) -> Resolved:
    wrong = ""
    if not isinstance(found, Resolved):
        wrong = f"resolve returned {type(found).__name__}, and it must return Resolved or None"
    elif found.id not in {entry.id for entry in catalogue}:
        wrong = f"it answered with {found.id!r:.60}, which the catalogue does not have"
    elif not 0 <= found.start < found.end <= len(mention):
        wrong = f"it answered with the place {found.start} to {found.end} of a mention of {len(mention)} characters"
    elif not isinstance(found.confidence, (int, float)) or not 0 <= found.confidence <= 1:
        wrong = "its confidence is not from 0 to 1"
    if wrong:
        raise PluginError(_file(maker), name, "", None, part="resolver", why=wrong)
    answer: Resolved = found
    return replace(answer, confidence=min(MOST_CONFIDENT, answer.confidence), why=str(answer.why) or f"the resolver {name} says so")


def _file(maker: OverCatalogue) -> str:
    code = getattr(maker, "__code__", None) or getattr(getattr(maker, "resolve", None), "__code__", None)
    return getattr(code, "co_filename", "") or str(getattr(maker, "__module__", ""))


def _fault(name: str, maker: OverCatalogue, error: BaseException) -> PluginError:
    return PluginError(_file(maker), name, type(error).__name__, line_in(error, (_file(maker),)), part="resolver")

"""Frozen dataclasses that are made as fast as open ones, and fields that are made when they are read; a large log has tens of thousands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from typing import Any, TypeVar

T = TypeVar("T")


def quick_init(cls: type[T]) -> type[T]:
    """The same frozen, slotted dataclass with an ``__init__`` that writes to its slots directly.

    The standard one goes through ``object.__setattr__`` by name for each field and takes two to three times as long.

    Args:
        cls: Made by ``dataclass(frozen=True, slots=True)``, without default factories.
    """
    own = fields(cls)  # type: ignore[arg-type]  # any dataclass
    names: dict[str, Any] = {f"set_{f.name}": getattr(cls, f.name).__set__ for f in own}
    names |= {f"default_{f.name}": f.default for f in own}
    keywords = [_parameter(f) for f in own if f.kw_only]
    signature = ", ".join(["self", *(_parameter(f) for f in own if not f.kw_only), *(["*", *keywords] if keywords else [])])
    body = "\n".join(f"        set_{f.name}(self, {f.name})" for f in own)
    code = f"def closed_over({', '.join(names)}):\n    def __init__({signature}):\n{body}\n    return __init__"
    made: dict[str, Any] = {}
    exec(code, {}, made)  # noqa: S102 - field names only, as dataclasses does
    cls.__init__ = made["closed_over"](**names)  # type: ignore[method-assign]
    cls.__init__.__qualname__ = f"{cls.__qualname__}.__init__"
    return cls


class Later(ABC):
    """What stands in a field for a value that takes much more memory than what it can be made of."""

    __slots__ = ()

    @abstractmethod
    def value(self) -> Any:
        """The value, a new one each time."""


def made_when_read(name: str) -> Callable[[type[T]], type[T]]:
    """The same slotted dataclass with a field that may be given a ``Later``; whoever reads it gets the value.

    Args:
        name: Of the field.
    """

    def with_property(cls: type[T]) -> type[T]:
        slot = getattr(cls, name)

        def read(self: T) -> Any:
            """The field's value."""
            value = slot.__get__(self)
            return value.value() if isinstance(value, Later) else value

        setattr(cls, name, property(read, slot.__set__))
        return cls

    return with_property


def _parameter(field: Field[Any]) -> str:
    if field.default_factory is not MISSING or not field.init:
        raise TypeError(f"{field.name}: default factories and fields outside __init__ are not supported.")
    return field.name if field.default is MISSING else f"{field.name}=default_{field.name}"

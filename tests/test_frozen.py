"""Frozen values keep what dataclasses promise, whatever way they are made."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from ctxcore.frozen import Later, quick_init
from ctxcore.model import Call, Message, SourceRef, Usage
from ctxcore.readers.document import Record


def test_a_value_has_its_fields_and_its_defaults() -> None:
    call = Call(index=2, context=((0, 3),), known="recorded", model="gpt-5")
    assert (call.index, call.context, call.known, call.model) == (2, ((0, 3),), "recorded", "gpt-5")
    assert (call.reply, call.usage, call.at, call.id, call.turn, call.source, call.flags) == (None, None, None, "", 0, SourceRef(), ())


def test_a_value_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        Usage(input_tokens=1).input_tokens = 2  # type: ignore[misc]


def test_equal_fields_make_equal_values_and_a_changed_copy_differs() -> None:
    usage = Usage(input_tokens=1)
    assert usage == Usage(input_tokens=1)
    assert hash(usage) == hash(Usage(input_tokens=1))
    assert replace(usage, output_tokens=3) == Usage(input_tokens=1, output_tokens=3) != usage
    assert copy.deepcopy(usage) == pickle.loads(pickle.dumps(usage)) == usage  # noqa: S301 - pickled one line above


def test_missing_unknown_and_positional_fields_are_refused() -> None:
    for make in (lambda: Call(index=1), lambda: Usage(tokens=1), lambda: Usage(1)):
        with pytest.raises(TypeError):
            make()


def test_fields_that_may_be_positional_stay_so() -> None:
    assert Record({}, 4) == Record(value={}, line=4)


def test_a_default_factory_is_refused() -> None:
    with pytest.raises(TypeError, match="default factories"):

        @quick_init
        @dataclass(frozen=True, slots=True)
        class _Value:
            entries: list[int] = field(default_factory=list)


class Told(Later):
    """Made of a word that pickle can carry."""

    def value(self) -> dict[str, str]:
        return {"role": "user"}


def test_a_field_that_is_made_when_it_is_read_is_the_value_to_everyone() -> None:
    lazy, plain = (Message(role="user", parts=(), wire=(), raw=raw, source=SourceRef()) for raw in (Told(), {"role": "user"}))
    assert lazy.raw == {"role": "user"}
    assert lazy == plain
    assert replace(lazy, id="a").raw == {"role": "user"}
    assert repr(lazy) == repr(plain)
    assert copy.deepcopy(lazy) == pickle.loads(pickle.dumps(lazy)) == plain  # noqa: S301 - pickled one line above
    with pytest.raises(FrozenInstanceError):
        lazy.raw = None  # type: ignore[misc]

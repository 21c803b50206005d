"""YAML of strangers as JSON values: tags build nothing, times stay text, keys are text, and aliases may not blow it up.

Source: YAML 1.1 as PyYAML reads it; libyaml does the parsing.
"""

from __future__ import annotations

from typing import Any

import yaml

from ctxcore.model import Json

MAX_VALUES = 20_000_000
"""Values that a file may stand for once every alias is written out."""

MAX_DEPTH = 200
"""Levels of nesting; the parser itself works level by level."""

PLAIN_TAGS = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:merge", "tag:yaml.org,2002:value")
"""Kinds that stay the text they are."""


class BadYaml(ValueError):
    """This is no YAML that can be read.

    Attributes:
        reason: A clause.
        line: From 1; 0 where unknown.
    """

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


class _Loader(yaml.CSafeLoader):
    """The safe loader, made to build JSON values only."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - PyYAML's own class attribute
        first: [(tag, pattern) for tag, pattern in found if tag not in PLAIN_TAGS]
        for first, found in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Keys as text."""
        return {_key(self.construct_object(key, deep=True)): self.construct_object(value, deep=deep) for key, value in node.value}


def _key(value: Json) -> str:
    return value if isinstance(value, str) else str(value)


def _number(loader: _Loader, node: yaml.ScalarNode) -> Json:
    try:
        return loader.construct_yaml_int(node)
    except ValueError:
        return node.value


def _map(loader: _Loader, node: yaml.MappingNode) -> Any:
    built: dict[str, Json] = {}
    yield built
    built.update(loader.construct_mapping(node))


def _tagged(loader: _Loader, _: str, node: yaml.Node) -> Any:
    """What stands there, whatever object the tag asks for."""
    return _plain(loader, node)


def _plain(loader: _Loader, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return node.value


_Loader.add_constructor("tag:yaml.org,2002:map", _map)
_Loader.add_constructor("tag:yaml.org,2002:int", _number)
for _kind in ("set", "omap", "pairs", "timestamp"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _plain)
_Loader.add_multi_constructor("tag:yaml.org,2002:python/", _tagged)
_Loader.add_multi_constructor("!", _tagged)


def load_yaml(data: bytes) -> Json:
    """The value of a YAML file of one document; ``!!binary`` is bytes.

    Raises:
        BadYaml: No YAML, more than one document, nested too deeply, or too large once its aliases are written out.
    """
    loader = _Loader(data)
    try:
        value = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise BadYaml(str(error.problem or error.context or "not YAML"), mark.line + 1 if mark else 0) from error
    except (yaml.YAMLError, ValueError, TypeError, RecursionError) as error:
        raise BadYaml(str(error).splitlines()[0] if str(error) else type(error).__name__) from error
    finally:
        loader.dispose()
    if _written_out(value, {}, 0) > MAX_VALUES:
        raise BadYaml("its aliases stand for too much")
    return value


def _written_out(value: Json, seen: dict[int, int], level: int) -> int:
    """Values that this one stands for; each object is walked once, one that holds itself counts as too many."""
    if not isinstance(value, (dict, list)):
        return 1
    known = seen.get(id(value))
    if known is not None:
        return known
    seen[id(value)] = MAX_VALUES + 1
    if level > MAX_DEPTH:
        return MAX_VALUES + 1
    inner = value.values() if isinstance(value, dict) else value
    seen[id(value)] = 1 + sum(_written_out(item, seen, level + 1) for item in inner)
    return seen[id(value)]

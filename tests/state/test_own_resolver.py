"""A resolver of the user's own: a file, an installed package, or the name in a domain."""

from __future__ import annotations

import json
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from ctxcore.cli import main
from ctxcore.errors import InputError, PluginError
from ctxcore.state import resolvers
from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit
from ctxcore.state.resolver import MOST_CONFIDENT, Entry, LexicalResolver, Resolved
from ctxcore.state.resolvers import load_resolver, resolved, resolver_named
from ctxcore.views.state_domain import DomainError, own_domain
from tests.conftest import ROOT
from tests.state.talk import talk, tool

EXAMPLE = next(body for body in re.findall(r"```python\n(.*?)```", (ROOT / "ctxcore/README.md").read_text("utf-8"), re.DOTALL) if "RESOLVER" in body)

ITEMS = {"items": [{"id": "C-1", "name": "Nimbus", "tags": ["silver", "camera"]}, {"id": "S-1", "name": "Tonic", "tags": ["speaker", "black"]}]}
LINES = ("u: hello", *tool("search_products", ITEMS), "a: We have two.", "u: I take the silver thing", "a: ok")
CATALOGUE = (Entry(id="C-1", names=("Nimbus",)),)


@pytest.fixture(autouse=True)
def _no_resolvers_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolvers, "_LOADED", {})


def test_the_example_of_the_readme_finds_what_the_embedded_one_does_not(tmp_path: Path, capsys) -> None:
    (tmp_path / "colours.py").write_text(EXAMPLE, encoding="utf-8")
    messages = [line if isinstance(line, dict) else {"role": {"u": "user", "a": "assistant"}[line[0]], "content": line[3:]} for line in LINES]
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"model": "m", "messages": messages}), encoding="utf-8")
    assert main(["state", str(file), "--domain", "shop", "--json"]) == 0
    assert "product_context.id" not in json.loads(capsys.readouterr().out)["fields"]
    assert main(["state", str(file), "--domain", "shop", "--resolver", str(tmp_path / "colours.py"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["fields"]["product_context.id"]["current"]
    assert (found["value"], found["extractor"], found["confidence"], found["rule"]) == ("C-1", "resolver colours", 0.5, "the only silver thing")
    assert found["source"]["quote"] == "silver"


def test_a_domain_names_an_installed_one(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint(name="other", value="ctxcore.state.resolver:LexicalResolver", group=resolvers.GROUP)
    monkeypatch.setattr(resolvers, "entry_points", lambda **wanted: [point] if wanted["name"] == "other" else [])
    resolvers._installed.cache_clear()
    domain = domain_named("shop").model_copy(update={"resolver": "other"})
    lines = (*LINES[:-2], "u: the nimbbus please", "a: ok")
    (entry,) = edit(talk(*lines), domain).fields["product_context.id"].entries
    assert (entry.value, entry.extractor) == ("C-1", "resolver other")
    resolvers._installed.cache_clear()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("'C-1'", "resolve returned str"),
        ("Resolved(id='X', start=0, end=1, quote='a', confidence=0.5, why='')", "the catalogue does not have"),
        ("Resolved(id='C-1', start=0, end=99, quote='a', confidence=0.5, why='')", "the place 0 to 99"),
        ("Resolved(id='C-1', start=0, end=1, quote='a', confidence=7, why='')", "from 0 to 1"),
        ("1 / 0", "raised ZeroDivisionError at its line 4"),
    ],
)
def test_what_is_wrong_with_an_answer_is_told_with_the_file(answer: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "from ctxcore.state.resolver import Resolved\nclass Mine:\n"
        f"    def __init__(self, all): pass\n    def resolve(self, m): return {answer}\nRESOLVER = Mine\n"
    )
    with pytest.raises(PluginError, match=re.escape(why)) as caught:
        resolved(load_resolver(file), CATALOGUE, "a camera")
    assert caught.value.plugin == str(file)


def test_an_answer_is_never_surer_than_a_rule(tmp_path: Path) -> None:
    file = tmp_path / "sure.py"
    answer = Resolved(id="C-1", start=0, end=1, quote="a", confidence=1.0, why="")
    file.write_text(
        f"from ctxcore.state.resolver import Resolved\nclass S:\n    resolve = lambda self, mention: {answer!r}\nRESOLVER = lambda all: S()\n"
    )
    found = resolved(load_resolver(file), CATALOGUE, "a camera")
    assert found is not None
    assert (found.confidence, found.why) == (MOST_CONFIDENT, "the resolver sure says so")


def test_a_name_that_nobody_has_is_refused(tmp_path: Path) -> None:
    assert resolver_named("lexical") is LexicalResolver
    with pytest.raises(InputError, match="No resolver 'none'"):
        resolver_named("none")
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(InputError, match="needs RESOLVER"):
        load_resolver(tmp_path / "empty.py")
    with pytest.raises(DomainError, match="line 2: No resolver 'none'"):
        own_domain("name: own\nresolver: none\n", "mine")

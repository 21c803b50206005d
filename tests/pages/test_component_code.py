"""The code of the components comes once; with every value comes a loader of a few lines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.pages.conftest import Start

ROOT = Path(__file__).resolve().parents[2]

from _components.assets import PARTS, code, loader  # noqa: E402 - the folder of pages is no package


def test_a_value_carries_no_code(start: Start) -> None:
    at = start(page="dropped")
    scripts = {one.proto.component_name: one.proto.js_content for one in at.get("bidi_component")}
    assert "ctxscope_code" in scripts
    assert {name for name, script in scripts.items() if len(script) > 400} == {"ctxscope_code"}


@pytest.mark.parametrize("part", PARTS)
def test_every_component_finds_its_part(part: str) -> None:
    assert f"code.parts.{part}(one)" in loader(part)
    assert re.search(rf"^{part}: \(\(\) => \{{$", code(), re.MULTILINE)


def test_every_script_is_in_the_code() -> None:
    text = code()
    for file in (ROOT / "pages" / "_components").glob("*.js"):
        names = re.findall(r"^function (\w+)\(", file.read_text(encoding="utf-8"), re.MULTILINE)
        assert all(f"function {name}(" in text for name in names), json.dumps([file.name, names])


def test_a_part_that_is_not_there_has_no_loader() -> None:
    with pytest.raises(ValueError, match="no part"):
        loader("nothing")

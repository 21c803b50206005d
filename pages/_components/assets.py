"""Scripts and styles of the components, read once from the files beside."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent

SHARED = ("dom.js", "written.js", "blocks.js", "canvas.js", "plot.js", "fates.js", "budget_search.js", "budget_grip.js")
"""Files whose names every part may use."""

PARTS = ("beside", "calls_chart", "columns", "differences", "messages", "persistence", "report", "rows", "scrubber")
"""Files with a default export, one per component."""

MEETING = """
const code = (globalThis.__ctxscopeCode ||= {});
code.come ||= new Promise((done) => { code.done = done; });
"""
"""Where components and their code find each other, whichever is there first."""


def loader(part: str) -> str:
    """The script of a component: a few lines, since Streamlit sends it with every new value. The code itself comes once, by ``code``.

    Args:
        part: One of ``PARTS``.
    """
    if part not in PARTS:
        raise ValueError(f"{part} is no part.")
    return f"{MEETING}export default (one) => (code.parts ? code.parts.{part}(one) : code.come.then(() => code.parts.{part}(one)));\n"


def code() -> str:
    """All parts as one module that hands them to the components; comments of whole lines and indentation stay here."""
    parts = ",\n".join(map(_part, PARTS))
    shared = "\n".join(map(_lines, SHARED))
    return f"{shared}\n{MEETING}code.parts = {{\n{parts}\n}};\ncode.done();\nexport default () => {{}};\n"


def _part(name: str) -> str:
    """A file in a scope of its own, which gives its default export."""
    body = _lines(f"{name}.js").replace("export default function", "function component")
    return f"{name}: (() => {{\n{body}\nreturn component;\n}})()"


def _lines(name: str) -> str:
    lines = (line.strip() for line in (HERE / name).read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def style(*names: str) -> str:
    """The named style sheets as one."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)

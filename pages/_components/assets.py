"""Scripts and styles of the components, read once from the files beside."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent


def script(*names: str) -> str:
    """The named files as one module; the last one holds the default export.

    Comments of whole lines and indentation stay here: the text goes to the browser with every new value.
    """
    lines = (line.strip() for name in names for line in (HERE / name).read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def style(*names: str) -> str:
    """The named style sheets as one."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)

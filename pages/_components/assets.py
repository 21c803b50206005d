"""Scripts and styles of the components, read once from the files beside."""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent


def script(*names: str) -> str:
    """The named files as one module; the last one holds the default export."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)


def style(*names: str) -> str:
    """The named style sheets as one."""
    return "\n".join((HERE / name).read_text(encoding="utf-8") for name in names)

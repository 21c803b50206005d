"""What tool calls touch and set: one file and one line of ``EXTRACTORS`` each."""

from __future__ import annotations

from ctxcore.state.extract.file_tools import FileTools
from ctxcore.state.extract.named_values import NamedValues
from ctxcore.state.extract.patches import Patches
from ctxcore.state.extract.protocol import Extractor
from ctxcore.state.extract.shell_reads import ShellReads

EXTRACTORS: tuple[Extractor, ...] = (Patches(), FileTools(), ShellReads(), NamedValues())
"""Every extractor, in the order they are tried; the first that finds something is the one."""

__all__ = ["EXTRACTORS", "Extractor"]

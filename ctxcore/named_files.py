"""Files and folders named on the command line, looked at before anything is done with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from pathlib import Path

from ctxcore.errors import UnreadableFile
from ctxcore.readers.archive import check_regular
from ctxcore.readers.folder import folder_size, is_folder

BLANK = re.compile(rb"[ \t\r\n\x00]*")
"""What no recording consists of."""

LOOKED_AT_BYTES = 4096
"""Of a file; a longer one is not taken for a blank one."""


MOST_BESIDE = 2_000
"""Names of a folder that a missing name is compared with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFiles:
    """What became of the files that were named."""

    paths: tuple[Path, ...]
    """Absolute paths of files and folders that can be opened and hold something, in the order named."""
    complaints: tuple[str, ...]
    """One sentence for each other one."""


def readable(file: Path) -> Path:
    """The absolute path of a file that can be opened.

    Args:
        file: As named; ``~`` is the home folder.

    Raises:
        UnreadableFile: Missing, a folder, no regular file, or closed to this user.
    """
    path = file.expanduser().absolute()
    try:
        check_regular(path, str(file))
        with path.open("rb"):
            return path
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableFile(str(file), f"cannot be opened ({reason})", advice=nearest(file, path) or "check the path") from error


def readable_recording(file: Path) -> Path:
    """The absolute path of a recording: of a file that can be opened, or of a folder.

    Args:
        file: As named; ``~`` is the home folder.

    Raises:
        UnreadableFile: It is neither.
    """
    path = file.expanduser().absolute()
    return path if is_folder(path) else readable(file)


def file_bytes(path: Path) -> int:
    """Bytes of a regular file; 0 for anything else, and for a name that no file can have.

    Args:
        path: Any.
    """
    try:
        return path.stat().st_size if path.is_file() else 0
    except (OSError, ValueError):
        return 0


def nearest(file: Path, path: Path) -> str:
    """A clause that names the file beside a missing one whose name is nearest; empty where none is near.

    Args:
        file: As named.
        path: The same, absolute.
    """
    try:
        if path.exists():
            return ""
        beside = {entry.stem: entry.name for entry in islice(path.parent.iterdir(), MOST_BESIDE) if entry.name != path.name}
    except (OSError, ValueError):
        return ""
    found = get_close_matches(path.stem, beside, n=1)  # endings make unlike names look alike
    return f"did you mean {file.with_name(beside[found[0]])}?" if found else ""


def named_files(files: Sequence[Path]) -> NamedFiles:
    """Look at each file without reading it; only what is missing, closed, empty or blank is left out."""
    paths, complaints = [], []
    for file in files:
        try:
            paths.append(_filled(file, readable_recording(file)))
        except UnreadableFile as error:
            complaints.append(str(error))
    return NamedFiles(paths=tuple(paths), complaints=tuple(complaints))


def _filled(file: Path, path: Path) -> Path:
    """The path, where the file at it holds more than white space, and the folder a file that would be read."""
    if path.is_dir():
        if not folder_size(path):
            raise UnreadableFile(str(file), "the folder holds no file that could be read", advice="choose one that holds the recording")
        return path
    size = path.stat().st_size
    with path.open("rb") as opened:
        start = opened.read(LOOKED_AT_BYTES)
    if size <= LOOKED_AT_BYTES and BLANK.fullmatch(start):
        raise UnreadableFile(str(file), "the file holds only white space" if size else "the file is empty", advice="choose the recording itself")
    return path

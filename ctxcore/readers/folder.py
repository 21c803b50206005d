"""A folder as an upload: its files under the same limits as those of a zip. Links are not followed and hidden files are not looked at."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from ctxcore.errors import TooManyFiles, UnreadableFile
from ctxcore.readers.archive import MAX_MEMBERS, Unpacked, check_regular, unpack_files

HIDDEN_RECORDINGS = frozenset({".aider.chat.history.md", ".aider.input.history"})
"""Files that a recorder calls so."""


def unpack_folder(name: str, folder: Path) -> Unpacked:
    """The files of a folder and of those in it, by name; archives among them are unpacked.

    Args:
        name: Of the upload; the names of its files begin with it.
        folder: Where it lies.

    Raises:
        UnreadableFile: It cannot be opened.
        FileTooBig: All together are over the cap.
        TooManyFiles: It holds more than are read.
    """
    skipped: list[tuple[str, str]] = []
    files: list[tuple[str, Path]] = []
    for path in _files(folder, name, skipped):
        files.append((f"{name}/{path.relative_to(folder).as_posix()}", path))
        if len(files) > MAX_MEMBERS:
            raise TooManyFiles(name, files=len(files), most=MAX_MEMBERS, folder=True)
    unpacked = unpack_files(name, files)
    unpacked.skipped += skipped
    return unpacked


def is_folder(path: Path) -> bool:
    """True for a folder; a name that no file can have is none, and what opens it says so.

    Args:
        path: Any.
    """
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def folder_size(folder: Path) -> int:
    """Bytes of the files that would be read."""
    return sum(path.stat().st_size for path in _files(folder, "", []))


def folder_stamp(folder: Path) -> str:
    """A digest of the names, sizes and times of the files that would be read: another one where any of them changed.

    Raises:
        UnreadableFile: The folder cannot be opened.
    """
    found = [(path.relative_to(folder).as_posix(), (stat := path.stat()).st_size, stat.st_mtime_ns) for path in _files(folder, "", [])]
    return hashlib.sha256(repr(found).encode("utf-8", "surrogateescape")).hexdigest()


def _files(folder: Path, name: str, skipped: list[tuple[str, str]]) -> Iterator[Path]:
    """Regular files, sorted; the others are listed with the reason.

    Raises:
        UnreadableFile: The folder cannot be opened.
    """

    def closed(error: OSError) -> None:
        place = Path(error.filename)
        why = f"the folder cannot be opened ({(error.strerror or 'no reason given').lower()})"
        if place == folder:
            raise UnreadableFile(str(folder), why, advice="check the path") from error
        skipped.append((f"{name}/{place.relative_to(folder).as_posix()}", why))

    for at, folders, names in os.walk(folder, onerror=closed):
        here = Path(at)
        folders[:] = sorted(one for one in folders if not _left_out(here / one, folder, name, skipped))
        yield from (here / one for one in sorted(names) if not _left_out(here / one, folder, name, skipped))


def _left_out(path: Path, folder: Path, name: str, skipped: list[tuple[str, str]]) -> bool:
    if path.name.startswith(".") and path.name not in HIDDEN_RECORDINGS:
        return True
    why = "a link, which is not followed" if path.is_symlink() else "" if path.is_dir() else _why_unreadable(path)
    if why:
        skipped.append((f"{name}/{path.relative_to(folder).as_posix()}", why))
    return bool(why)


def _why_unreadable(path: Path) -> str:
    try:
        check_regular(path, path.name)
    except UnreadableFile as error:
        return error.what
    except OSError as error:
        return f"cannot be opened ({(error.strerror or 'no reason given').lower()})"
    return ""

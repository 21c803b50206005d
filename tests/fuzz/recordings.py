"""Small recordings of every format, written for the tests: folders of files that were uploaded together."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ctxcore.readers.detect import Upload

FOLDER = Path(__file__).parent.parent / "data" / "recordings"

CORPUS_BYTES = 60_000
"""Larger files of the reference corpus are left out: they would only be slower."""


@dataclass(frozen=True)
class Recording:
    """Files that are one upload."""

    format: str
    """Of the reader, or the corpus's own word."""
    id: str
    files: Mapping[str, bytes]
    """Name, with folders, and content."""

    def __str__(self) -> str:
        return self.id

    def uploads(self, files: Mapping[str, bytes] | None = None) -> Sequence[Upload]:
        """What to read: the file, or a zip of several.

        Args:
            files: Instead of its own.
        """
        files = self.files if files is None else files
        if len(files) == 1:
            return list(files.items())
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return [("recording.zip", buffer.getvalue())]


def own_recordings() -> Iterator[Recording]:
    """The samples of the project, by format."""
    for folder in sorted(FOLDER.glob("*/*")):
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
        yield Recording(folder.parent.name, f"{folder.parent.name}-{folder.name}", files)


def corpus_recordings(shared: Path) -> Iterator[Recording]:
    """The small files of the reference corpus."""
    corpus = shared / "corpus"
    for path in sorted(corpus.rglob("*")):
        if path.is_file() and path.stat().st_size <= CORPUS_BYTES:
            yield Recording(path.relative_to(corpus).parts[0], path.relative_to(corpus).as_posix(), {path.name: path.read_bytes()})

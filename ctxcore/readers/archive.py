"""Uploads to files: gzip, zip and zstd are known by their first bytes and unpacked in memory under a cap; nothing is written to disk."""

from __future__ import annotations

import importlib
import io
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from ctxcore.errors import FileTooBig, ReadError, TooManyFiles, UnreadableFile
from ctxcore.model import Problem, SourceRef

CAP_MB = 512
"""Megabytes of an upload, packed or not, unless CTXSCOPE_MAX_MB says otherwise."""

CAP_RATIO = 200
"""Unpacked to packed; text of real recordings packs 5 to 50 times."""

CAP_RATIO_FROM_BYTES = 16 * 2**20
"""Less than this may unpack at any ratio."""

CHUNK_BYTES = 2**20

DAMAGED = "incomplete_archive"
"""Kind of the problem of a file that was packed and came out in part."""

GZIP_HEADER_BYTES, GZIP_TRAILER = 10, struct.Struct("<II")
GZIP_HEADER_CHECKSUM, GZIP_EXTRA, GZIP_NAME, GZIP_COMMENT = 0x02, 0x04, 0x08, 0x10
"""Flags of a header. Source: RFC 1952, 2.3.1."""

WINDOW_BYTES = 2**14
"""Of a gzip file, handed over at a time: what a stream leaves of it is copied, and a file may have a stream every twenty bytes."""

MAX_MEMBERS = 10_000
"""Files in one upload, those of archives in archives included."""

MAX_LAYERS = 3
"""Archives in archives."""

ZSTD_MODULES = ("compression.zstd", "backports.zstd", "zstandard", "pyzstd")
"""Who can unpack zstd: the standard library from 3.14 on, or a package that is installed."""

ZIP_ZSTD = 93
"""Method of a zip member. Source: PKWARE APPNOTE 4.4.5."""

ENCRYPTED = 0x1
"""Flag of a zip member. Source: PKWARE APPNOTE 4.4.4."""

LOCAL_HEADER_BYTES = 30

NO_RECORDING = "not a recording by its name"
"""Why a file is skipped that packing tools and people put beside recordings."""

IGNORED_STEMS = frozenset({"readme", "license", "licence", "changelog", "thumbs", "desktop", ".ds_store"})


class BadChecksum(ValueError):
    """All of a file was unpacked, and its checksum is that of other bytes."""


def cap_bytes() -> int:
    """The cap in force: CTXSCOPE_MAX_MB, or ``CAP_MB``."""
    try:
        megabytes = float(os.environ.get("CTXSCOPE_MAX_MB", ""))
    except ValueError:
        megabytes = CAP_MB
    return int((megabytes if 0 < megabytes < 2**40 else CAP_MB) * 2**20)


@dataclass(slots=True)
class Member:
    """One file, unpacked."""

    name: str
    """Name in the archive behind the upload's own; text only, never a path to write to."""
    data: bytes
    """Unpacked bytes; taken by whoever reads them."""
    problems: tuple[Problem, ...] = ()
    """What went wrong on the way."""


@dataclass(slots=True)
class Unpacked:
    """What an upload holds."""

    members: list[Member] = field(default_factory=list)
    """Files that may be recordings."""
    skipped: list[tuple[str, str]] = field(default_factory=list)
    """Files that are none or could not be unpacked: name and why."""


@dataclass(slots=True)
class _Budget:
    """Bytes and files that may still be unpacked of one upload."""

    name: str
    cap: int
    packed: int
    used: int = 0
    files: int = 0
    """Met in its archives."""

    def take(self, count: int) -> None:
        """Count unpacked bytes.

        Raises:
            FileTooBig: The cap is passed.
        """
        self.used += count
        if self.used > self.cap:
            raise FileTooBig(self.name, cap_bytes=self.cap)
        if self.used > max(CAP_RATIO_FROM_BYTES, self.packed * CAP_RATIO):
            most = max(CAP_RATIO_FROM_BYTES, self.packed * CAP_RATIO)
            raise FileTooBig(self.name, cap_bytes=most, packed_bytes=self.packed, ratio=CAP_RATIO)


def check_regular(path: Path, name: str) -> int:
    """Bytes of a file as its directory says; opening a pipe or a device could wait, or read, without end.

    Args:
        path: Looked at, not opened.
        name: For the sentence.

    Raises:
        UnreadableFile: A folder, or no regular file.
        OSError: Missing.
    """
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise UnreadableFile(name, "this is a folder", advice="name a file in it")
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableFile(name, "this is not a regular file", advice="write what it gives to a file and open that")
    return found.st_size


def load(path: str | Path) -> bytes:
    """Bytes of a file.

    Raises:
        UnreadableFile: Missing, a folder, no regular file, or not readable.
        FileTooBig: Over the cap.
    """
    path, cap = Path(path), cap_bytes()
    try:
        size = check_regular(path, str(path))
        if size > cap:
            raise FileTooBig(str(path), cap_bytes=cap, size_bytes=size)
        with path.open("rb") as file:
            data = file.read(size + 1)
            if len(data) > size:  # it has grown, or its directory does not say how much it gives
                data += file.read(cap + 1 - len(data))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UnreadableFile(str(path), f"the file cannot be opened ({(why or 'no reason given').lower()})", advice="check the path") from error
    if len(data) > cap:
        raise FileTooBig(str(path), cap_bytes=cap)
    return data


def unpack(name: str, data: bytes) -> Unpacked:
    """The files of an upload: itself, or what it packs.

    Raises:
        ReadError: Over the cap, or an archive of which nothing can be read.
    """
    cap = cap_bytes()
    if len(data) > cap:
        raise FileTooBig(name, cap_bytes=cap, size_bytes=len(data))
    result = Unpacked()
    _unpack(name, data, _Budget(name=name, cap=cap, packed=len(data)), result, MAX_LAYERS)
    return result


def unpack_files(name: str, files: Sequence[tuple[str, Path]]) -> Unpacked:
    """The files of an upload that consists of several, each itself or what it packs; one that cannot be read is listed as skipped.

    Args:
        name: Of the upload.
        files: Name and place of each.

    Raises:
        FileTooBig: All together are over the cap, or one unpacks to too much.
        TooManyFiles: Archives among them hold more files than are read.
    """
    budget = _Budget(name=name, cap=cap_bytes(), packed=0, files=len(files))
    result = Unpacked()
    for member, path in files:
        if _is_ignored(path.name):
            result.skipped.append((member, NO_RECORDING))
            continue
        try:
            data = load(path)
            budget.packed += len(data)
            budget.take(len(data))
            _unpack(member, data, budget, result, MAX_LAYERS)
        except (FileTooBig, TooManyFiles):
            raise
        except ReadError as error:
            result.skipped.append((member, str(error)))
    return result


def _unpack(name: str, data: bytes, budget: _Budget, result: Unpacked, layers: int) -> None:
    if not layers or not data.startswith((b"\x1f\x8b", b"PK\x03\x04", b"PK\x05\x06", b"\x28\xb5\x2f\xfd")):
        result.members.append(Member(name, data))
    elif data[:2] == b"PK":
        _unzip(name, data, budget, result, layers)
    elif data[:2] == b"\x1f\x8b":
        _unpack_stream(name, _inflate(data), "gzip file", budget, result, layers)
    else:
        _unpack_stream(name, _zstd(name, data), "zstd file", budget, result, layers)


def _unpack_stream(name: str, chunks: Iterator[bytes], kind: str, budget: _Budget, result: Unpacked, layers: int) -> None:
    """One packed file; a cut one keeps what came out."""
    buffer = io.BytesIO()
    fault, problem_kind = "", DAMAGED
    try:
        for chunk in chunks:
            budget.take(len(chunk))
            buffer.write(chunk)
    except BadChecksum:
        fault = f"The {kind}'s checksum is wrong: all its {buffer.tell():,} bytes are read, and some of them may be others than were packed."
        problem_kind = "bad_checksum"
    except (EOFError, zlib.error, OSError, ValueError) as error:
        state = "incomplete" if isinstance(error, EOFError) else f"damaged ({error})"
        if not buffer.tell():
            what = f"the {kind} is {state} and nothing of it can be unpacked"
            raise UnreadableFile(name, what, advice="copy it again from its source") from error
        fault = f"The {kind} is {state}, the {buffer.tell():,} bytes before that can be read."
    before = len(result.members)
    _unpack(name, buffer.getvalue(), budget, result, layers - 1)
    for member in result.members[before:] if fault else ():
        member.problems = (Problem(what=fault, kind=problem_kind, source=SourceRef(file=name)), *member.problems)


def _inflate(data: bytes) -> Iterator[bytes]:
    """Chunks of a gzip file, all its streams; of a damaged one all that comes before the damage.

    Raises:
        EOFError: It ends too early.
        zlib.error: Damaged.
        BadChecksum: All came out, and is not what was packed.
    """
    position, fits = 0, True
    while data[position : position + 2] == b"\x1f\x8b":
        position = _behind_header(data, position)
        stream = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
        checksum = size = 0
        while not stream.eof:
            given = data[position : position + WINDOW_BYTES]
            before = stream.copy()
            try:
                chunk = stream.decompress(given, CHUNK_BYTES)
            except zlib.error:
                yield from _up_to_damage(before, given)
                raise
            position += len(given) - len(stream.unconsumed_tail) - len(stream.unused_data)
            if not chunk and not given and not stream.eof:
                raise EOFError
            checksum, size = zlib.crc32(chunk, checksum), size + len(chunk)
            yield chunk
        trailer = data[position : position + GZIP_TRAILER.size]
        if len(trailer) < GZIP_TRAILER.size:
            raise EOFError
        fits = fits and GZIP_TRAILER.unpack(trailer) == (checksum, size % 2**32)
        position += GZIP_TRAILER.size
    if not fits:
        raise BadChecksum


def _behind_header(data: bytes, position: int) -> int:
    """Where the deflated bytes of a gzip stream begin. Source: RFC 1952, 2.3.

    Raises:
        EOFError: The header ends too early.
        zlib.error: A method or a flag that is none.
    """
    header = data[position : position + GZIP_HEADER_BYTES]
    if len(header) < GZIP_HEADER_BYTES:
        raise EOFError
    flags = header[3]
    if header[2] != 8 or flags & 0xE0:
        raise zlib.error("its header is none of gzip")
    position += GZIP_HEADER_BYTES
    if flags & GZIP_EXTRA:
        position += 2 + int.from_bytes(data[position : position + 2], "little")
    for _ in range(((flags & GZIP_NAME) > 0) + ((flags & GZIP_COMMENT) > 0)):
        end = data.find(b"\0", position)
        if end < 0:
            raise EOFError
        position = end + 1
    return position + 2 * ((flags & GZIP_HEADER_CHECKSUM) > 0)


def _up_to_damage(stream: Any, given: bytes) -> Iterator[bytes]:
    """What comes out of a stream before the byte at which it is damaged, found in ever smaller pieces."""
    size = len(given) // 2
    while size and given:
        trial = stream.copy()
        try:
            chunk = trial.decompress(given[:size])
        except zlib.error:
            size //= 2
            continue
        yield chunk
        stream, given = trial, given[size:]


def _zstd(name: str, data: bytes) -> Iterator[bytes]:
    """Chunks of a zstd file.

    Raises:
        UnreadableFile: No module can unpack it.
        EOFError: It ends too early.
        ValueError: Damaged.
    """
    module = _zstd_module()
    if module is None:
        raise UnreadableFile(name, "this is a zstd file, which Python here cannot unpack", advice="unpack it first, or pip install backports.zstd")
    faults: type[Exception] = getattr(module, "ZstdError", ValueError)
    try:
        with module.open(io.BytesIO(data), "rb") as file:
            yield from _chunks(file)
    except faults as error:
        raise ValueError(str(error)) from error


def _zstd_module() -> Any:
    """The first module of ``ZSTD_MODULES`` that is there, or None."""
    for name in ZSTD_MODULES:
        with suppress(ImportError):
            return importlib.import_module(name)
    return None


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(CHUNK_BYTES):
        yield chunk


def _unzip(name: str, data: bytes, budget: _Budget, result: Unpacked, layers: int) -> None:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except (zipfile.BadZipFile, ValueError, OSError, EOFError, NotImplementedError) as error:
        raise UnreadableFile(name, f"the zip file is incomplete or damaged ({error})", advice="copy it again from its source") from error
    with archive:
        entries = [entry for entry in archive.infolist() if not entry.filename.endswith("/")]  # ``is_dir`` raises on an empty name
        budget.files += len(entries)
        if budget.files > MAX_MEMBERS:
            raise TooManyFiles(budget.name, files=budget.files, most=MAX_MEMBERS)
        for entry in entries:
            _unzip_member(f"{name}/{entry.filename}", archive, entry, budget, result, layers)


def _unzip_member(name: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, budget: _Budget, result: Unpacked, layers: int) -> None:
    if _is_ignored(entry.filename):
        result.skipped.append((name, NO_RECORDING))
        return
    try:
        _unpack_stream(name, _member_chunks(name, archive, entry), "zip member", budget, result, layers)
    except (FileTooBig, TooManyFiles):
        raise
    except ReadError as error:
        result.skipped.append((name, str(error)))
    except (RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        result.skipped.append((name, f"cannot be unpacked ({str(error) or type(error).__name__})"))


def _member_chunks(name: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Unpacked chunks of a member; zstd is unpacked here, as ``zipfile`` knows it only from Python 3.14 on."""
    checksum = 0
    for chunk in _unchecked_chunks(name, archive, entry):
        checksum = zlib.crc32(chunk, checksum)
        yield chunk
    if checksum != entry.CRC:
        raise BadChecksum


def _unchecked_chunks(name: str, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    """Chunks whatever the checksum is: ``zipfile`` would throw away the last ones of a member that has another."""
    if entry.compress_type == ZIP_ZSTD and not entry.flag_bits & ENCRYPTED:
        yield from _zstd(name, _packed(archive, entry))
        return
    unchecked = copy(entry)
    del unchecked.CRC
    with archive.open(unchecked) as file:
        yield from _chunks(file)


def _packed(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The packed bytes of a member. Source: PKWARE APPNOTE 4.3.7, the local header of 30 bytes, name and extra field."""
    file = archive.fp
    if file is None:
        raise zipfile.BadZipFile("closed")
    file.seek(entry.header_offset)
    header = file.read(LOCAL_HEADER_BYTES)
    if len(header) < LOCAL_HEADER_BYTES or header[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile("no local header")
    name_bytes, extra_bytes = struct.unpack("<HH", header[26:30])
    file.seek(name_bytes + extra_bytes, io.SEEK_CUR)
    return file.read(entry.compress_size)


def _is_ignored(name: str) -> bool:
    """True for what packing tools and people put beside recordings."""
    path = PurePosixPath(name.replace("\\", "/"))
    return "__MACOSX" in path.parts or path.name.startswith("._") or path.name.split(".")[0].lower() in IGNORED_STEMS or path.name == ".DS_Store"

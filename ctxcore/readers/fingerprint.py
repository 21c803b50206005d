"""SHA-256 of an upload, made on another core while the upload is parsed."""

from __future__ import annotations

import hashlib
from threading import Thread

LARGE_BYTES = 1 << 20
"""From here on a thread of its own pays; hashlib lets go of the interpreter's lock while it works."""


class Fingerprint:
    """The hash of some bytes; asked for its digits, it waits until they are there."""

    def __init__(self, data: bytes) -> None:
        """Start hashing.

        Args:
            data: Let go of as soon as it is hashed.
        """
        self._hash = hashlib.sha256()
        self._work: Thread | None = None
        if len(data) < LARGE_BYTES:
            self._hash.update(data)
        else:
            self._work = Thread(target=self._hash.update, args=(data,), daemon=True)
            self._work.start()

    def hexdigest(self) -> str:
        """64 hexadecimal digits."""
        if self._work is not None:
            self._work.join()
        return self._hash.hexdigest()

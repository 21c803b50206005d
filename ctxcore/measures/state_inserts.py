"""Texts that a policy puts into requests, searched for the values of a state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from ctxcore.columns import IntArray
from ctxcore.mentions import folded, stands
from ctxcore.replay import Replay


class InsertedTexts:
    """Summaries of a replay; each text is made and folded once, when it is first asked for."""

    def __init__(self, replay: Replay) -> None:
        """Nothing is made yet.

        Args:
            replay: A policy over all calls of a thread.
        """
        self._replay = replay
        self._folded = lru_cache(maxsize=None)(self._text)

    def saying(self, needles: Sequence[str], calls: IntArray) -> IntArray:
        """Those of the calls into which a text is put that holds one of the folded needles."""
        if not needles or not len(calls):
            return np.zeros(0, np.int64)
        wanted = np.zeros(len(self._replay.thread.calls), np.bool_)
        wanted[calls] = True
        found = np.zeros(len(wanted), np.bool_)
        for key, columns in self._texts(wanted):
            text = self._folded(*key)
            if any(stands(needle, text) for needle in needles):
                found[columns] = True
        return np.flatnonzero(found & wanted)

    def unknown(self, calls: IntArray) -> IntArray:
        """Those of the calls into which a summary is put of which only the size is known."""
        found = np.zeros(len(self._replay.thread.calls), np.bool_)
        for fits, line in zip(self._replay.fits, self._replay.timelines, strict=True):
            if fits.cut is None:
                plan, mine = fits.plan(0), line.epoch.calls
                for insert in plan.inserts:
                    found[mine] |= (insert.version >= 0) & (insert.source == "opaque")
                for layer in plan.insert_layers:
                    found[mine] |= (layer.stop > layer.start) & (layer.source == "opaque")
        return calls[found[calls]]

    def _texts(self, wanted: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Iterator[tuple[tuple[int, int, int, int], IntArray]]:
        """Every text in any wanted call: what makes it (epoch, insert or -1 - layer, version or item, a column), and the calls that get it."""
        for epoch, (fits, line) in enumerate(zip(self._replay.fits, self._replay.timelines, strict=True)):
            calls = line.epoch.calls.astype(np.int64)
            mine = wanted[calls]
            if fits.cut is not None or not mine.any():
                continue
            plan = fits.plan(0)
            for number, insert in enumerate(plan.inserts):
                if insert.kind == "summary":
                    for version in np.unique(insert.version[mine]).tolist():
                        columns = np.flatnonzero(insert.version == version)
                        if version >= 0:
                            yield (epoch, number, version, int(columns[0])), calls[columns]
            for number, layer in enumerate(plan.insert_layers):
                some = mine & (layer.stop > layer.start)
                if layer.kind == "summary" and some.any():
                    for item in range(int(layer.start[some].min()), int(layer.stop[some].max())):
                        yield (epoch, -1 - number, item, 0), calls[(layer.start <= item) & (item < layer.stop)]

    def _text(self, epoch: int, number: int, version: int, column: int) -> str:
        plan = self._replay.fits[epoch].plan(0)
        return folded(plan.inserts[number].text(column) if number >= 0 else plan.insert_layers[-1 - number].text(version))

"""Token counts as OpenHands writes them: by response, or as a running total.

Source: OpenHands ``llm/metrics.py``; format notes 2.13.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ctxcore.model import Json, Usage
from ctxcore.readers.values import mapping, natural, usage, whole


def usage_of(record: Mapping[str, Json]) -> Usage | None:
    """Usage in OpenHands' own names; the prompt holds the cached tokens."""
    names = {"cache_read_tokens": "cache_read_input_tokens", "cache_write_tokens": "cache_creation_input_tokens"}
    found = usage({**record, **{theirs: record[ours] for ours, theirs in names.items() if ours in record}}, cache_in_input=True)
    reasoning = whole(record.get("reasoning_tokens"))
    return replace(found, reasoning_tokens=reasoning) if found and reasoning else found


class RunningTotal:
    """What the agent has used so far, as each of its actions repeats it."""

    def __init__(self) -> None:
        """Nothing used."""
        self._total: Mapping[str, Json] = {}
        self._begun = False
        self.shared = False
        """True where something else than the next call may have added to it."""

    def window(self) -> int | None:
        """The model's window, where the newest total tells it."""
        return whole(self._total.get("context_window"))

    def grown_by(self, event: Mapping[str, Json]) -> Usage | None:
        """What an action added to the total, where nothing but its call can have; the total is that of the action from here on."""
        old, new = self._total, mapping(mapping(event.get("llm_metrics")).get("accumulated_token_usage"))
        comparable = bool(new) and not self.shared and (bool(old) or not self._begun)
        self._total, self._begun, self.shared = new, True, False
        if not comparable:
            return None
        grown = {key: count - (natural(old.get(key)) or 0) for key in new if (count := natural(new.get(key))) is not None}
        counts = (grown.get("prompt_tokens", 0), grown.get("completion_tokens", 0))
        return usage_of(grown) if counts[0] > 0 <= counts[1] else None

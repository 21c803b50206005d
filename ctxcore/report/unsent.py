"""What a report says where a limit lets no request through: that nothing is sent, why, and from which limit on it would be."""

from __future__ import annotations

import numpy as np

from ctxcore.counted import count
from ctxcore.policies.needs import Needs
from ctxcore.report.amounts import size_words
from ctxcore.report.study import Study

NO_CALL = "no request is sent"
"""Instead of a number that only sent requests have."""


def too_large(study: Study) -> str:
    """Nothing is sent, and what the request that comes nearest to the limit still holds."""
    replay, calls = study.chosen.replay, len(study.thread.calls)
    nearest = int(np.argmin(replay.missing))
    needs = replay.needs(nearest)
    lead = "Nothing would be sent at this limit, so there is no saving, no cost and no lost fact to tell of."
    if needs is None:
        return lead
    least = size_words(needs.total, study.unit)
    if not needs.cuts:
        return f"{lead} The rule “{study.title}” takes nothing out, and {_whose(calls)} {least}."
    return f"{lead} After all that the rule “{study.title}” may take out, {_whose(calls)} {least}, most of it {_most(needs)}."


def _whose(calls: int) -> str:
    return "the one request still holds" if calls == 1 else f"even the smallest of {count(calls, 'request')} still holds"


def _most(needs: Needs) -> str:
    """The largest of what stays."""
    parts = {
        "instructions that always stay": needs.system,
        "tool definitions": needs.tools,
        "the current task": needs.task,
        "the newest step": needs.newest,
        "history that the rule leaves": needs.left,
    }
    name = max(parts, key=parts.__getitem__)
    return f"{name} ({parts[name]:,})"


def enough_words(study: Study) -> str:
    """From which limit on every request is sent."""
    enough = study.smallest.enough
    if enough is None:
        return "No limit up to the size of the largest request lets this rule send every request."
    return f"From a limit of {size_words(enough, study.unit)} on, this rule sends every request."

"""Events of a thread as a data frame for the pages; apart from their words, so that the command line need not load pandas, half of its start."""

from __future__ import annotations

import pandas as pd

from ctxcore.model import Thread
from ctxcore.views.events import EVENT_COLUMNS, event_rows


def events_frame(thread: Thread) -> pd.DataFrame:
    """The rows of ``event_rows``; a size that is not recorded is missing."""
    frame = pd.DataFrame(event_rows(thread), columns=list(EVENT_COLUMNS))
    return frame.astype({"before": "Int64", "after": "Int64"})

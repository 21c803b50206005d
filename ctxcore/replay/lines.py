"""The runs of a thread's calls, measured once for each unit of measure."""

from __future__ import annotations

import numpy as np

from ctxcore.columns import Sizes
from ctxcore.model import Thread
from ctxcore.policies import Timeline


def timelines(thread: Thread, sizes: Sizes) -> tuple[Timeline, ...]:
    """The thread's epochs, measured; made once per thread and unit of measure."""

    def measured() -> tuple[Timeline, ...]:
        tools = np.asarray([-1 if call.tools is None else call.tools for call in thread.calls], dtype=np.int64)
        return tuple(Timeline.of(epoch, sizes, tools[epoch.calls], thread) for epoch in thread.epochs)

    return thread.once(f"timelines:{sizes.unit}", measured, of=sizes)

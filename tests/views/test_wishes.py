"""What the page *Dropped units* offers to look for."""

from __future__ import annotations

import json

from ctxcore import read_session
from ctxcore.views.seen_strip import wish_title, wishes
from tests.chat import conversation

TITLES = ["Log in with password=ZZwishSecret1", "Paint \u202ellaw eht", "\ud800 half of a sign", "Dry the wall"]


def test_no_secret_and_no_steering_character_is_offered_as_it_stands() -> None:
    """A picked text goes into a box, where nothing is masked; half a character cannot be sent to a browser at all."""
    steps = [{"content": title, "status": "pending", "activeForm": title} for title in TITLES]
    messages = conversation("Go.", ("TodoWrite", {"todos": steps}, "ok"))
    offered = wishes(read_session(json.dumps({"model": "m", "messages": messages}).encode(), "wishes.json").threads[0])
    assert [wish_title(text) for text in offered if text in TITLES] == ["Paint <U+202E>llaw eht", "Dry the wall"]
    assert not any("ZZwishSecret1" in text or "\ud800" in text for text in offered)

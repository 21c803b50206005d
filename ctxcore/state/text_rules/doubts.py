"""Whether a value is said without certainty: might be 300, 好像是三百, 300 but I am not sure."""

from __future__ import annotations

import re

_BEFORE = re.compile(
    r"好像|(?<![尽不])可能(?!性)|也许|或许|兴许|说不定|似乎|貌似|没准|不确定|不太确定|不清楚|记不清|不记得|"
    r"\bmight\b|\bmaybe\b|\bperhaps\b|\bpossibly\b|\bmay be\b|\bnot (?:quite |really )?(?:sure|certain)\b|\bunsure\b|\bi guess\b|\bi forget\b",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"[\s，,。.!！]{0,3}(?:[吧的]?[\s，,。]{0,2})(?:但|不过|可|我|也|还|but|though|i'?m|i am|\s){0,3}"
    r"(?:不(?:太|是很|大|怎么)?(?:确定|清楚|肯定|知道对不对)|记不(?:太)?清|不记得|说不准|不敢肯定|"
    r"not (?:quite |really |entirely |so )?(?:sure|certain)\b|unsure\b|guess\b|if i remember\b)",
    re.IGNORECASE,
)


def is_uncertain(before: str, after: str) -> bool:
    """By the words of the clause before the value, or by those after it in its sentence."""
    return bool(_BEFORE.search(before) or _AFTER.match(after))

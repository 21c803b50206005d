"""How the time grows with the text: for each module that reads text of others, its worst hostile text at four times the length.

Time of the processor, so that a busy machine changes little. Linear work takes 4 times as long, quadratic work 16 times.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from typing import get_args

from ctxcore import Thread, read_session, replay, sweep
from ctxcore.atoms import atoms
from ctxcore.compaction.compact import compact
from ctxcore.compaction.sentences import is_chinese
from ctxcore.compaction.survival import facts, survival
from ctxcore.compaction.terms import not_in, squeezed
from ctxcore.compaction.values import Passage, Voice
from ctxcore.measures.search import search_pattern, search_text
from ctxcore.policies.patterns import SECONDS
from ctxcore.redaction import Redactor, find
from ctxcore.report import Release, study
from ctxcore.report.page import report_html
from ctxcore.state.domains import domain_named
from ctxcore.state.editor import edit
from ctxcore.state.text_rules import read_text
from tests import hostile
from tests.benchmarks.generate import messages
from tests.benchmarks.measure import Row, limited_row
from tests.chat import conversation, thread_of, upload
from tests.state.labelled import SAID_AT
from tests.state.talk import shopping, talk

TIMES, TARGET = 4, 8.0
"""How much longer the second text is, and how much longer it may take."""

SEARCH_LIMIT_MS = 500
"""Of one search in 40 MB that were not searched before."""

Action = Callable[[], object]
Prepared = Callable[[int], Action]
"""From a size to the work that is timed; each time anew, so that nothing is remembered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """One kind of text at two sizes."""

    small_ms: float
    """Time of the processor at the size."""
    large_ms: float
    """And at four times the size."""

    @property
    def ratio(self) -> float:
        """Of the two."""
        return self.large_ms / self.small_ms


def rows(repetitions: int) -> Iterator[Row]:
    """One row for each module, then those of work that has a limit of its own."""
    several = max(2, repetitions // 2)
    yield _row("evidence atoms", {piece: _text(atoms, piece) for piece in hostile.ATOMS}, 100_000, "characters", several)
    yield _row("secrets in a text", {piece: _text(find, piece) for piece in hostile.SECRETS}, 50_000, "characters", several)
    yield _row("known secrets replaced in texts", dict(_known_secrets()), 750, "secrets and texts", several)
    read = partial(read_text, said_at=SAID_AT)
    yield _row("values of a message", {piece: _text(read, piece) for piece in hostile.SAID}, 10_000, "characters", several)
    yield _row("compaction and what survives it", dict(_compactions()), 5_000, "characters", several)
    yield _row("state of a conversation", {"shopping": _state}, 250, "rounds", several)
    yield _row("upload of one string", {"a text": partial(_upload, "%s"), "a text part": partial(_upload, PART)}, 16 * 2**20, "bytes", several)
    yield _row("report", {"reads and edits": _report}, 750, "calls", several)
    yield _row("search in results of 40 kB, not searched before", {"English and Chinese": _search}, 250, "exchanges", several)
    yield from _limited(several)


def _row(what: str, shapes: Mapping[str, Prepared], size: int, unit: str, repetitions: int) -> Row:
    """The shape that grows most."""
    grown = {shape: _grown(prepare, size, repetitions) for shape, prepare in shapes.items()}
    worst = max(grown, key=lambda shape: grown[shape].ratio)
    named = f"the worst of {len(shapes)}: {worst!r}" if len(shapes) > 1 else worst
    return Row(
        what=f"{what} ({named}), {TIMES * size:,} {unit}",
        value=f"{grown[worst].large_ms:,.1f} ms",
        reference=f"{size:,} of them {grown[worst].small_ms:,.1f} ms",
        ratio=grown[worst].ratio,
        target=TARGET,
    )


def _grown(prepare: Prepared, size: int, repetitions: int) -> Grown:
    """The two sizes take turns; the best of each counts, because nothing makes work shorter than it is."""
    pairs = [(_cpu_ms(prepare(size)), _cpu_ms(prepare(TIMES * size))) for _ in range(repetitions)]
    return Grown(small_ms=min(small for small, _ in pairs), large_ms=min(large for _, large in pairs))


def _cpu_ms(action: Action) -> float:
    """Without the garbage collector: it starts at a certain number of objects, which looks like a step of the work."""
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        kept = action()
        spent = time.process_time() - start
    finally:
        gc.enable()
    del kept
    return spent * 1000


def _text(work: Callable[[str], object], piece: str) -> Prepared:
    return lambda length: partial(work, hostile.repeated(piece, length))


def _known_secrets() -> Iterator[tuple[str, Prepared]]:
    """Every form of values beside every text without one, and texts that each hold another value."""
    for form, text in product(hostile.MANY_SECRETS, hostile.BESIDE_SECRETS):
        yield f"{form} in {text[:24]}…", partial(_replaced, form, lambda _, text=text: text)
    form = hostile.MANY_SECRETS[0]
    yield f"{form} in C:\\x said …", partial(_replaced, form, lambda number: f'C:\\x said "{form.format(number)}" %40')


def _replaced(form: str, text: Callable[[int], str], size: int) -> Action:
    redactor = Redactor()
    redactor.learn(" ".join(form.format(number) for number in range(size)))
    return lambda: [redactor.redacted(text(number)) for number in range(size)]


def _compactions() -> Iterator[tuple[str, Prepared]]:
    for piece, voice in product(hostile.COMPACTION, get_args(Voice)):
        yield f"{piece} of {voice}", partial(_compaction, piece, voice)


def _compaction(piece: str, voice: Voice, length: int) -> Action:
    told = [Passage(message=0, start=0, text=hostile.repeated(piece, length), voice=voice, round=1)]
    for remembered in (is_chinese, not_in, squeezed):
        remembered.cache_clear()
    return lambda: survival(facts(told), compact(told, count=len).text)


def _state(rounds: int) -> Action:
    return partial(edit, talk(*shopping(rounds)), domain_named("shop"))


PART = '[{"type": "text", "text": %s}]'
"""A message's content in parts."""


def _upload(form: str, size: int) -> Action:
    return partial(read_session, b'{"messages": [{"role": "user", "content": ' + (form % ('"' + "x" * size + '"')).encode() + b"}]}")


def _report(calls: int) -> Action:
    session = read_session(json.dumps({"model": "gpt-4o", "messages": list(messages(calls, 300, "english"))}).encode(), "long.json")

    def page() -> str:
        about = study(session.threads[0], session, "whole-units", 100_000, "chars", others=("none",))
        return report_html(about, Release.of(session, reviewed=True))

    return page


RESULT = ("接口返回的内容 " * 50 + "The answer of the service is long and of no use. " * 40) * 14
"""About 40 kB."""


@cache
def _pages(exchanges: int) -> Thread:
    return read_session(upload(conversation(*(("fetch", {"page": n}, f"{RESULT} page {n}") for n in range(exchanges)))), "pages.json").threads[0]


def _search(exchanges: int) -> Action:
    """Each makes the block of all texts anew."""
    thread = _pages(exchanges)
    thread.memo.pop("search_index", None)
    wanted = f"page {exchanges - 1}"

    def found() -> None:
        if [piece.message for piece in search_text(thread, wanted).pieces] != [len(thread.messages) - 2]:
            raise AssertionError(f"{wanted!r} stands in the last result alone.")

    return found


def _limited(repetitions: int) -> Iterator[Row]:
    """A search that has to feel immediate, and a pattern without an end, which is stopped once and for all budgets."""
    yield limited_row("search in 40 MB, not searched before", min(_cpu_ms(_search(1_000)) for _ in range(repetitions)), SEARCH_LIMIT_MS)
    most_ms = SECONDS * 1000 * 1.5
    yield limited_row(f"a fit and 100 budgets of a policy with the pattern {hostile.ENDLESS}", _cpu_ms(_endless_policy), most_ms)
    yield limited_row(f"a search for the pattern {hostile.ENDLESS}", _cpu_ms(lambda: search_pattern(_endless_thread(), hostile.ENDLESS)), most_ms)


def _endless_thread() -> Thread:
    return thread_of("Go.", ("read", {"path": "a"}, "baa"), ("read", {"path": "b"}, hostile.ENDLESS_ON))


def _endless_policy() -> None:
    thread = _endless_thread()
    replay(thread, "swe-agent-remove-regex", 10**6, remove=(hostile.ENDLESS,))
    sweep(thread, range(1_000, 101_000, 1_000), "swe-agent-remove-regex", remove=(hostile.ENDLESS,))

"""Measures that need an interpreter of their own: peak memory, cold caches. Each prints one JSON value."""

from __future__ import annotations

import gc
import json
import sys
import time
import tracemalloc
from pathlib import Path

from ctxcore import read_session
from ctxcore.sizes.encoders import batches
from ctxcore.sizes.measure import thread_sizes
from ctxcore.sizes.tokens import token_counter


def peak_memory(file: str) -> int:
    """Highest resident memory in bytes, interpreter and libraries included, while a file is read."""
    session = read_session(Path(file))
    assert session.threads
    return _high_water()


def _high_water() -> int:
    """Highest resident memory so far, in bytes; getrusage would count the parent's memory before exec."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def inspected(file: str) -> int:
    """Highest resident memory in bytes of a whole run of ``ctxscope inspect``; what it prints goes nowhere."""
    from contextlib import redirect_stdout

    from ctxcore.cli import main

    with Path("/dev/null").open("w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        assert main(["inspect", file]) == 0
    return _high_water()


def kept_memory(file: str) -> int:
    """Bytes that a session holds once it is read."""
    read_session(b'{"messages": [{"role": "user", "content": "first use of every module"}]}', "warm.json")
    gc.collect()
    tracemalloc.start()
    session = read_session(Path(file))
    gc.collect()
    held = tracemalloc.get_traced_memory()[0]
    assert session.threads
    return held


def import_with_tokens(file: str) -> dict[str, float]:
    """Milliseconds to read a file, to count its tokens, and of the tokenizer alone over its unique texts.

    Both sides make the same calls of the tokenizer (its batch call, which needs a third of the time of text by text) on the same batches, and each
    has a tokenizer of its own, whose cache of words is empty.
    """
    warm_up()
    start = time.perf_counter()
    session = read_session(Path(file))
    read = time.perf_counter()
    for thread in session.threads:
        thread_sizes(thread, "tokens")
    counted = time.perf_counter()
    model = next(call.model for call in session.threads[0].calls)
    texts = unique_texts(file)
    encoder = _tokenizer(model)
    again = time.perf_counter()
    for batch in batches(texts):
        encoder.encode_batch_flat(list(batch))
    alone = time.perf_counter() - again
    return {"read": (read - start) * 1000, "both": (counted - start) * 1000, "tokenizer": alone * 1000}


def warm_up() -> None:
    """Load the vocabulary: that happens once per process, not once per file."""
    token_counter("gpt-5").count("warm")


def _tokenizer(model: str):
    import splintr

    return splintr.Tokenizer.from_pretrained(token_counter(model).vocabulary)


def unique_texts(file: str) -> list[str]:
    """Every text of the file that a tokenizer would see, once."""
    texts: set[str] = set()
    for message in json.loads(Path(file).read_bytes())["messages"]:
        texts.add(message["content"])
        for call in message.get("tool_calls", ()):
            texts |= {call["function"]["name"], call["function"]["arguments"]}
    return list(texts)


if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    sys.stdout.write(json.dumps(globals()[name](*arguments)))

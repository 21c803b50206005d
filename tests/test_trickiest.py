"""The ten trickiest recordings of the corpus: calls, tokens, compactions and threads by values that were derived from the files by hand.

Each derivation stands beside its values. None uses a reader: records were listed with ``json`` and counted by the format's own ids.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from ctxcore import Session, Thread
from ctxcore.readers.detect import read_uploads

MAIN = ("main", "", None)


@dataclass(frozen=True)
class Tricky:
    """One recording, and what is true of it."""

    id: str
    files: str
    """Pattern in the corpus; all matches are uploaded together."""
    threads: dict[str, tuple[int, int, int | None]]
    """Thread -> calls, input tokens (cached included), output tokens (None: placeholders or not recorded for all)."""
    compactions: tuple[tuple[str, int, int | None], ...] = ()
    """Recorded ones of the first thread: kind, first call after it, tokens before."""
    links: tuple[tuple[str, str, int | None], ...] = ()
    """Of threads beside the first: id, parent, the parent's call that started it."""

    def __str__(self) -> str:
        return self.id


TEN = (
    # Distinct message.id of assistant lines that are not <synthetic>: 225. Input: input + cache creation + cache read of the last line of each id.
    # The three compact_boundary lines stand behind the 50th, 127th and 220th id; before = preTokens. Output counts are placeholders of the stream.
    Tricky(
        "Claude Code: three compactions and six interrupts",
        "claude-code/entire_cd-95ad_3compact_6interrupts.jsonl",
        {"main": (225, 25_645_626, None)},
        (("compaction", 50, 156_699), ("compaction", 127, 155_241), ("compaction", 220, 155_413)),
    ),
    # 131 ids. Two microcompact_boundary lines behind the 44th and 74th id, which clear 9 and 18 tool results; one compact_boundary behind the 100th.
    Tricky(
        "Claude Code: two microcompactions and a compaction",
        "claude-code/entire_b0-dc55_2microcompact_1compact.jsonl",
        {"main": (131, 14_437_560, None)},
        (("microcompaction", 44, 60_364), ("microcompaction", 74, 56_973), ("compaction", 100, 157_692)),
    ),
    # 9 ids outside and 161 inside of side chains. Walking parentUuid up from each side-chain line gives 5 roots with 9, 34, 40, 25 and 53 ids; the
    # first user text of each equals the prompt of one of the 5 Task calls: three in the 3rd reply (call 2), two in the 5th (call 4).
    Tricky(
        "Claude Code: five parallel agents in the main file",
        "claude-code/kimuson_fe5e1c67_infile_sidechains.jsonl",
        {
            "main": (9, 168_358, None),
            "agent-1": (9, 117_941, None),
            "agent-2": (34, 780_551, None),
            "agent-3": (40, 819_402, None),
            "agent-4": (25, 462_783, None),
            "agent-5": (53, 1_437_613, None),
        },
        (),
        (("agent-1", "main", 2), ("agent-2", "main", 2), ("agent-3", "main", 2), ("agent-4", "main", 4), ("agent-5", "main", 4)),
    ),
    # Main file 65 ids, 5,431,989 tokens in all: 47 on the chain that ends last and 18 on the other loop, which forks off where a notification of a
    # background agent came in. The agents' files have 41, 61 and 1 ids; a2a2b48 and a9b4b48 are named by the results (toolUseResult.agentId) of the
    # calls that the 6th reply (call 5) made; nothing names the warm-up a87bf71.
    Tricky(
        "Claude Code: two loops in one file and agents in files of their own",
        "claude-code/llmbuilds/*.jsonl",
        {
            "main": (47, 3_661_917, None),
            "main-branches": (18, 5_431_989 - 3_661_917, None),
            "a2a2b48": (41, 898_834, None),
            "a87bf71": (1, 1_068, None),
            "a9b4b48": (61, 1_508_727, None),
        },
        (),
        (("a2a2b48", "main", 5), ("a9b4b48", "main", 5)),
    ),
    # token_count events whose total_token_usage differs from the one before: 327, and the last total is 42,223,125 in, 117,161 out. The compacted
    # lines (replacement histories of 4, 5 and 11 items) stand behind the 98th, 171st and 257th; before = the input of the call in front of each.
    Tricky(
        "Codex: three compactions with replacement histories",
        "codex-cli/agentv_79-6ead_3compactions_4.1MB.jsonl",
        {"main": (327, 42_223_125, 117_161)},
        (("compaction", 98, 237_823), ("compaction", 171, 229_684), ("compaction", 257, 229_133)),
    ),
    # 140 distinct totals, the last 19,673,344 in and 61,344 out; two more calls left items but no count: one aborted (turn_aborted) and one cut.
    Tricky(
        "Codex: an aborted turn and a call without its output",
        "codex-cli/agentv_88-8ba8_aborted_missing_output.jsonl",
        {"main": (142, 19_673_344, 61_344)},
        (("compaction", 67, 227_112),),
    ),
    # Assistant messages without the 2 of model gateway-injected: 51; input + cacheRead + cacheWrite and output of their usage. The compaction stands
    # behind the 28th and keeps nothing: firstKeptEntryId is its own id. Sub-agents of sub-agents: sessions.json says spawnedBy for all 19.
    Tricky(
        "OpenClaw: nineteen agents, two of which started ten",
        "pi/openclaw_lru_demo/*",
        {
            "main": (51, 2_220_666, 26_818),
            "fa3418b0-4e73-4618-ad41-4e061bec3d94": (9, 212_540, 2_704),
            "d5238a07-b052-421a-8c10-b0d5d60cc3ea": (6, 154_959, 2_918),
            "1937300a-8f36-4928-ae04-f60ae09c3956": (11, 241_949, 6_841),
            "0f7b4f8d-9340-48bd-af07-08a6edae2cef": (3, 51_021, 481),
        },
        (("compaction", 28, 81_290),),
        (
            ("fa3418b0-4e73-4618-ad41-4e061bec3d94", "main", 40),
            ("d5238a07-b052-421a-8c10-b0d5d60cc3ea", "main", 45),
            ("0f7b4f8d-9340-48bd-af07-08a6edae2cef", "fa3418b0-4e73-4618-ad41-4e061bec3d94", 0),
            ("64f318f1-cc8b-4990-8592-ee9b37812387", "d5238a07-b052-421a-8c10-b0d5d60cc3ea", 0),
        ),
    ),
    # 220 assistant messages, 6 of them aborted or failed, one on a line glued to the next; usage summed as above. The compaction is the last entry:
    # no call follows it.
    Tricky(
        "pi: version 1 with glued lines and a compaction at the end",
        "pi/pi-mono_session_947KB_thinking_compaction_glued.jsonl",
        {"main": (220, 26_267_579, 46_995)},
        (("compaction", 220, 186_045),),
    ),
    # 32 api_req_started entries on the screen, 30 messages in the history: an old condensing took its beginning. tokensIn (cache included by this
    # protocol) and tokensOut summed. condense_context, 124,669 to 57,960 tokens, stands behind the 20th entry, whose request is the first short one:
    # 45,726 tokens after 117,888.
    Tricky(
        "Roo Code: a condensed history and the screen that kept its calls",
        "roo-code/natural-already-condensed/*.json",
        {"main": (32, 2_293_053, 32_273)},
        (("compaction", 19, 124_669),),
    ),
    # Agent steps with metrics in the four files: 7, 1, 1, 1. final_metrics of the main file, 7,802 in and 1,030 out, are all ten together; the three
    # sub-agents' own are 700 + 120, 100 + 20 and 500 + 200, so 6,502 and 690 remain. The step that names them follows the third reply (call 2).
    Tricky(
        "Harbor: a summarisation by three agents",
        "harbor-atif/phoenix_terminus2_*.json",
        {"main": (7, 7_802 - 700 - 100 - 500, 1_030 - 120 - 20 - 200)},
        (("compaction", 3, None),),
    ),
)


def together(shared: Path, files: str) -> Session:
    """The session with the most calls of all files uploaded together."""
    paths = sorted((shared / "corpus").glob(files))
    reading = read_uploads([(path.relative_to(shared / "corpus").as_posix(), path) for path in paths])
    return max(reading.sessions, key=lambda session: sum(len(thread.calls) for thread in session.threads))


def tokens(thread: Thread) -> tuple[int, int]:
    used = [call.usage for call in thread.calls if call.usage is not None]
    return sum(usage.input_tokens or 0 for usage in used), sum(usage.output_tokens or 0 for usage in used)


@pytest.mark.parametrize("tricky", TEN, ids=str)
def test_the_values_derived_by_hand_hold(shared: Path, tricky: Tricky):
    session = together(shared, tricky.files)
    for name, (calls, received, written) in tricky.threads.items():
        thread = session.thread(name)
        assert (len(thread.calls), tokens(thread)[0]) == (calls, received), name
        assert written is None or tokens(thread)[1] == written, name
    events = [event for event in session.threads[0].events if event.kind in ("compaction", "microcompaction") and not event.inferred]
    assert [(event.kind, event.call, event.before_tokens) for event in events] == list(tricky.compactions)
    for name, parent, started in tricky.links:
        assert (session.thread(name).parent, session.thread(name).parent_call) == (parent, started), name


def test_what_the_compactions_left_in_the_contexts(shared: Path):
    """Claude Code: a summary and what follows. OpenClaw: a summary, nothing kept."""
    claude = together(shared, "claude-code/entire_cd-95ad_3compact_6interrupts.jsonl").threads[0]
    for number in (50, 127, 220):
        context = [claude.messages[index] for index in claude.calls[number].messages()]
        assert context[0].injected == "summary"
        assert len(context) < 10 < claude.calls[number - 1].message_count
    openclaw = together(shared, "pi/openclaw_lru_demo/*").threads[0]
    assert openclaw.messages[openclaw.calls[28].messages()[0]].injected == "summary"
    assert openclaw.calls[28].message_count < 5 < openclaw.calls[27].message_count


def test_the_threads_of_a_recording_are_all_there(shared: Path):
    """19 agents of OpenClaw in 20 files beside the index; 5 threads of Claude Code's two loops and three agents; 3 summarising agents of Harbor."""
    counts = {"pi/openclaw_lru_demo/*": 20, "claude-code/llmbuilds/*.jsonl": 5, "harbor-atif/phoenix_terminus2_*.json": 4}
    assert {files: len(together(shared, files).threads) for files in counts} == counts

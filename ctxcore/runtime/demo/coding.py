"""Sample: an agent repairs a small rate limiter. A step is called done too early, a stale read makes an edit fail, a timeout is corrected."""

from __future__ import annotations

from ctxcore.runtime.demo.plans import todos
from ctxcore.runtime.demo.script import Step, Turn, say, use

SYSTEM = """You are a careful coding agent. You work in one small Python project through the tools you are given.
- Look before you change: read a file before you edit it, and read it again if it may have changed.
- Keep a todo list with TodoWrite. Exactly one item is in progress. An item is completed only when the tests that cover it pass.
- Make the smallest change that repairs the fault. Do not change the public API unless the user asks for it.
- After every change run the tests, the whole suite before you report.
- Options are changed with set_option, never by hand, so that the change is logged. Tell the user which option had which value before.
- Report in a few sentences: what was wrong, what you changed, what you did not check."""

REPAIR = (
    ("Reproduce the failures", "Reproducing the failures"),
    ("Reset the counter in a new window", "Resetting the counter in a new window"),
    ("Put window boundaries right", "Putting window boundaries right"),
    ("Set the retry timeout to 30 seconds", "Setting the retry timeout to 30 seconds"),
    ("Add boundary tests", "Adding boundary tests"),
    ("Bring the README up to date", "Bringing the README up to date"),
)

BURST = (
    ("Set the retry timeout to 45 seconds", "Setting the retry timeout to 45 seconds"),
    ("Add the burst allowance", "Adding the burst allowance"),
    ("Test the burst allowance", "Testing the burst allowance"),
    ("Bring the README up to date", "Bringing the README up to date"),
)

BOUNDARY_TESTS = """from throttle import Limiter
from throttle.clock import window_end, window_of


def test_a_window_begins_at_its_first_second():
    assert window_of(119, 60) == 1, "119 is not in window 1"
    assert window_of(120, 60) == 2, "120 is not in window 2"


def test_a_window_ends_where_the_next_begins():
    for now in (-61, -1, 0, 59, 60, 119):
        end = window_end(now, 60)
        assert window_of(end, 60) == window_of(now, 60) + 1, f"wrong end {end} for {now}"


def test_midnight_does_not_double_the_limit():
    limiter = Limiter(limit=2, window_s=60)
    midnight = 24 * 60 * 60
    allowed = [limiter.allow(midnight - 31 + step) for step in range(30)]
    assert sum(allowed) == 2, f"{sum(allowed)} passed before midnight"
"""

BURST_TESTS = """from throttle import Limiter


def test_a_burst_comes_on_top_of_the_limit():
    limiter = Limiter(limit=2, window_s=60, burst=1)
    allowed = [limiter.allow(5) for _ in range(4)]
    assert allowed == [True, True, True, False], f"got {allowed}"


def test_there_is_no_burst_unless_asked_for():
    limiter = Limiter(limit=2, window_s=60)
    allowed = [limiter.allow(5) for _ in range(3)]
    assert allowed == [True, True, False], f"got {allowed}"
"""

FIRST: tuple[Step, ...] = (
    say("I'll look at the project first.", use("list_files")),
    say(
        "The limiter and its clock are the places to start.", use("read_file", path="throttle/limiter.py"), use("read_file", path="throttle/clock.py")
    ),
    say("Now the tests, to see the fault as it is today.", use("run_tests")),
    say("", todos(REPAIR, "cipppp")),
    say("What exactly do the failing tests ask for?", use("read_file", path="tests/test_limiter.py")),
    say("The counter is never reset when the window changes.", use("search", pattern=r"self\.used")),
    say(
        "",
        use(
            "edit_file",
            path="throttle/limiter.py",
            old="            self.window = window\n",
            new="            self.window = window\n            self.used = 0\n",
        ),
    ),
    say("", use("run_tests", path="tests/test_limiter.py")),
    say("The new-window test passes. The boundary tests are next.", todos(REPAIR, "ccippp")),
    say("`round` puts the second half of a window into the next one. Who else uses it?", use("search", pattern="round|window_of|window_end")),
    say(
        "",
        use(
            "edit_file",
            path="throttle/clock.py",
            old='lies in."""\n    return round(now / seconds)',
            new='lies in."""\n    return int(now / seconds)',
        ),
    ),
    say("That was the boundary. I'll mark it and move on to the timeout.", todos(REPAIR, "cccipp")),
    say("", use("read_file", path="settings.json")),
    say("", use("set_option", name="timeout_seconds", value=30)),
    say("Does anything rely on the old timeout?", use("read_file", path="throttle/retry.py"), use("search", pattern="timeout_seconds")),
    say("", use("run_tests", path="tests/test_retry.py")),
    say("Retries are fine with 30 seconds. Now the whole suite.", use("run_tests")),
    say(
        "Two limiter tests still fail, so the boundary step was not done: `int` cuts towards zero and the window's end is as it was. Reopened.",
        todos(REPAIR, "ccicpp"),
    ),
    say("", use("edit_file", path="throttle/clock.py", old="return round(now / seconds)\n", new="return now // seconds\n")),
    say("I worked from my first look at the file, and it has changed since. Reading it again.", use("read_file", path="throttle/clock.py")),
    say("", use("edit_file", path="throttle/clock.py", old="return int(now / seconds)", new="return now // seconds")),
    say(
        "",
        use("edit_file", path="throttle/clock.py", old="return round(now / seconds) * seconds", new="return (window_of(now, seconds) + 1) * seconds"),
    ),
    say("", use("run_tests")),
    say("All green now, so the step really is done.", todos(REPAIR, "ccccip")),
    say("", use("write_file", path="tests/test_boundary.py", content=BOUNDARY_TESTS)),
    say("", use("run_tests")),
    say("", todos(REPAIR, "ccccci"), use("read_file", path="README.md")),
    say("", use("edit_file", path="README.md", old="`timeout_seconds`, 20 by default", new="`timeout_seconds`, 30 by default")),
    say("", todos(REPAIR, "cccccc")),
    say(
        "Repaired. Three faults: the counter was not reset in a new window; `window_of` rounded, so a window's second half counted as the next one "
        "and twice the limit could pass around midnight; `retry_after` pointed to a rounded moment instead of the window's end. I also set "
        "`timeout_seconds` from 20 to 30 and added three boundary tests. All 11 tests pass. I did not look at how callers use `retry_after`."
    ),
)

SECOND: tuple[Step, ...] = (
    say("Understood: 45 replaces the 30 of before.", todos(BURST, "ippp")),
    say("", use("set_option", name="timeout_seconds", value=45)),
    say("", use("run_tests", path="tests/test_retry.py")),
    say("", todos(BURST, "cipp")),
    say(
        "",
        use("edit_file", path="throttle/limiter.py", old="limit=None, window_s=None):", new="limit=None, window_s=None, burst=None):"),
        use(
            "edit_file",
            path="throttle/limiter.py",
            old="        self.window = None\n",
            new='        self.burst = settings.get("burst") if burst is None else burst\n        self.window = None\n',
        ),
    ),
    say("", use("edit_file", path="throttle/limiter.py", old="<= self.limit\n", new="<= self.limit + self.burst\n")),
    say("", use("run_tests")),
    say("The option does not exist yet.", use("set_option", name="burst", value=0)),
    say(
        "`set_option` changes only what is there, so the new option has to go into the file once.",
        use("edit_file", path="settings.json", old='"backoff_factor": 2\n', new='"backoff_factor": 2,\n  "burst": 0\n'),
    ),
    say("", use("run_tests")),
    say("", todos(BURST, "ccip"), use("write_file", path="tests/test_burst.py", content=BURST_TESTS)),
    say("", use("run_tests", path="tests/test_burst.py")),
    say("", use("search", pattern=r"\b30\b")),
    say("The README still says 30.", todos(BURST, "ccci"), use("read_file", path="README.md")),
    say(
        "",
        use(
            "edit_file",
            path="README.md",
            old="`timeout_seconds`, 30 by default.",
            new="`timeout_seconds`, 45 by default.\n`burst` requests may pass on top of the limit in each window, 0 by default.",
        ),
    ),
    say("", use("run_tests"), todos(BURST, "cccc")),
    say(
        "Done. `timeout_seconds` is 45 (before: 30, at the start 20). `Limiter` takes `burst`, with the option `burst` (0) as default, so callers "
        "that do not ask for it see no change. 13 tests pass."
    ),
)

THIRD: tuple[Step, ...] = (
    say("", use("set_option", name="limit", value=8)),
    say("", use("run_tests")),
    say(
        "A last look at the limiter as it stands now, and at everything that changed.",
        use("read_file", path="throttle/limiter.py"),
        use("show_changes"),
    ),
    say(
        "The README's example still shows 5.",
        use("edit_file", path="README.md", old="Limiter(limit=5, window_s=60)", new="Limiter(limit=8, window_s=60)"),
    ),
    say(
        "`limit` is now 8 (before: 5), the README's example too. In all: `clock.py` (floor division, end of window), `limiter.py` (reset, burst), "
        "`settings.json` (limit 8, timeout_seconds 45, burst 0), five new tests, README. All 13 tests pass."
    ),
)

TURNS = (
    Turn(
        "Our limiter lets far too many requests through around midnight, and other clients stay blocked for good. Please find out why and repair it. "
        "Leave Limiter(limit, window_s) and allow(now) as they are. While you are there: retries give up too early, set the timeout to 30 seconds. "
        "Keep a todo list so that I can follow.",
        FIRST,
    ),
    Turn(
        "Thanks! One correction: make the timeout 45 seconds, not 30. The payment gateway needs up to 40. And we need a burst allowance: "
        "Limiter(..., burst=2) lets two more pass per window, none by default.",
        SECOND,
    ),
    Turn("Operations want 8 requests per window as the default instead of 5. Then show me all that changed.", THIRD),
)

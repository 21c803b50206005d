"""What every driver shares: jobs in, outcomes out. Runs in the environment of the real package, with nothing but the standard library."""

import json
import sys


def size(message):
    """Characters of a message in canonical JSON, with its separator: the counter that both sides are given."""
    return len(json.dumps(message, ensure_ascii=False, separators=(",", ":"))) + 1


def outcome(job, kept):
    """What was kept, for the answer.

    Args:
        job: With the list ``messages`` in chat form.
        kept: Pairs of the index (None for a message that was put in) and the message in chat form as it would be sent.
    """
    return [[index, None if index is not None and message == job["messages"][index] else message] for index, message in kept]


def stateless(function):
    """A driver function for a rule that looks at each request alone: ``function(messages, limit, job)`` gives pairs as for ``outcome``.

    The limit is the budget less what is no message.
    """

    def run(job):
        return [outcome(job, function(job["messages"][:length], job["budget"] - fixed, job)) for length, fixed in job["calls"]]

    return run


def serve(functions):
    """Answer all jobs of standard input: a list of outcomes per job, one outcome per call, None where the real function raises."""
    print_to_others = sys.stdout
    sys.stdout = sys.stderr  # a package that prints does not spoil the answer
    json.dump([functions[job["function"]](job) for job in json.load(sys.stdin)], print_to_others)

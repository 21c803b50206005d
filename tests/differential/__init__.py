"""The rules beside their originals: the real packages run in environments of their own and must keep the same messages.

``python -m tests.differential`` compares a fixed sample, ``--full`` many lists. A package is one driver in ``drivers``, one list of pinned
requirements in ``requirements`` (drivers may share one), and one entry of ``upstreams.UPSTREAMS``.
"""

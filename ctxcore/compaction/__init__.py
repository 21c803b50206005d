"""Compaction: four kinds of information, four processors, and checks of what came out.

``compact`` makes new, smaller data of passages and never touches them; ``classify`` says which kind each span is and why; ``summary_faults``
judges any summary, whoever wrote it; ``facts`` and ``survival`` say what of a text is left in another one.
"""

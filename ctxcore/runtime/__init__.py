"""Runs an agent live: ``models``, ``tools``, the ``loop`` between them, a budget in front (``budgeted``) and a ``recorder`` behind.

Nothing is imported here: whoever only reads recordings does not wait for the loop's own dependencies.
"""

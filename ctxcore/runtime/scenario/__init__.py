"""Runs written down in a file: ``form`` says what may stand there, ``desks`` offers tools, ``play`` runs it.

The replies are scripted (or asked of an endpoint), the tools are real and so are their results.
"""

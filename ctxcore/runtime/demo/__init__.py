"""The desks of the sample sessions: the replies are scripted in ``sample_sessions/*.toml``, the tools are real and so are their results.

``python -m ctxcore.runtime.demo FOLDER`` records the scenarios of a folder anew, the same bytes each time.
"""

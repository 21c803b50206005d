"""Makes the sample sessions: the replies are scripted, the tools are real and so are their results.

``python -m ctxcore.runtime.demo FOLDER`` writes them anew, the same bytes each time.
"""

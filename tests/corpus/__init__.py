"""The whole reference corpus, read: ``python -m tests.corpus`` prints what became of every file. Not a line of it is in the project."""

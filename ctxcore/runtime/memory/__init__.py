"""What an agent keeps beside its request: ``episodic`` holds the whole run, ``semantic`` stable values, ``context`` makes a request of both.

Working memory is the request itself. Nothing leaves a store because it left a request.
"""

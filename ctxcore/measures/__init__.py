"""What can be said of a session once its calls are measured."""

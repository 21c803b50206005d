"""Plans in recorded sessions: what the model said it would do, and what it said was done."""

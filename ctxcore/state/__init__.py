"""State in recorded sessions: what tool calls touched and set, change by change."""

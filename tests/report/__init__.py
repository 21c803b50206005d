"""What leaves the machine: the report, its tables, single requests."""

"""What is shown, as plain values: tables, words, JSON. No terminal and no dashboard here."""

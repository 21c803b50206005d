"""What is found and hidden, held to a labelled set."""

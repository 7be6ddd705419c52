"""Pi: a file of JSON Lines for each session."""

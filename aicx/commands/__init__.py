"""The commands: each parses its options, calls one function that does the work, and prints the result."""

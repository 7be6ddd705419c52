"""Evidence of a stored session's work: its commands, edits, commits, failures, fixes and statements."""

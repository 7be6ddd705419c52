"""What a stored session did: its commands, edits, commits, failures, fixes and statements."""

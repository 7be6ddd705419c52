"""The use case behind `aicx why`: from a commit, a file or a line to the sessions that made it, and their reasons."""

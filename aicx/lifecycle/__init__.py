"""A session's life cycle: what it is told at its start, and what is kept at its end."""

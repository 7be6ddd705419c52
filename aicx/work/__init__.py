"""Work that outlives a session: open tasks, contracts, and how a session kept to its contract."""

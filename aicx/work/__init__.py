"""Work that outlives a session: open tasks, what sessions did, contracts, handoffs and failures."""

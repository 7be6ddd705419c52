"""The shared index: what the machines of a person, or of a team, chose to let one another search."""

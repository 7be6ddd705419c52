"""Candidates for memories from the history: found by rules alone, each with what it was found in."""

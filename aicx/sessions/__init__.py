"""Sessions as a family: what came from what, where they stand, and what was said in their windows."""

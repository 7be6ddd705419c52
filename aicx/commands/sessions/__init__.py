"""`aicx sessions`: which sessions there are, where each came from, and where it stands."""

"""Continuity: what is written, read back, and kept."""

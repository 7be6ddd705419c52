"""Stored files: chunks with their sidecars, and the tombstones, read and written one at a time."""

"""Packs: all that is known of a task, or of a repository's sessions, as one bundle under one digest."""

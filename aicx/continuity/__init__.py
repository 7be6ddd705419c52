"""Continuity: a short note for each repository and each worktree, which people edit and the next session reads."""

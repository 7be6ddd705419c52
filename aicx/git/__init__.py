"""Git: which repository and worktree a folder belongs to, and the state of its branches, always read-only."""

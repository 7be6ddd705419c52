"""GitHub Copilot CLI: the events of each session."""

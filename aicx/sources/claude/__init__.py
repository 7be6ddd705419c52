"""Claude Code: session logs, subagents and the prompt history."""

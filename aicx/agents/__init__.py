"""What `aicx init` puts into files of coding agents, taking it out again, and the hooks that the agents then call."""

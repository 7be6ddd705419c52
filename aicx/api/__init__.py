"""What every door takes and gives, described once: the command line, MCP, HTTP and their documentation use it."""

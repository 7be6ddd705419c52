"""What every door offers alike, described once: the command line, MCP, HTTP and their documentation."""

"""The servers: MCP and the dashboard, what both share on HTTP, and the configuration of MCP clients."""

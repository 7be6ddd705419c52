"""The configuration files in which MCP clients list their servers: what is put there, and how nothing else changes."""

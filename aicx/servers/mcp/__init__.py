"""The MCP server: the questions of the command line as tools for agents, on stdio and on HTTP."""

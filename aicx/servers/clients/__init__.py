"""Configuration files of MCP clients: adding and removing the entry for aicx without changing anything else."""

"""The MCP server inside the daemon, over the official SDK."""

"""The gateway: other MCP servers, with their tools offered under our names."""

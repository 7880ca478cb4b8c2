"""Other MCP servers behind this daemon: their tools, offered under names of ours."""

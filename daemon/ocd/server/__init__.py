"""What comes in: HTTP on the socket, MCP connections, the MCP port. No decisions."""

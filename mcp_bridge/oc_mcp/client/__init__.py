"""Connections to other MCP servers, for the gateway."""

"""Incoming connections: HTTP on the socket, MCP, the dashboard, programs. No decisions."""

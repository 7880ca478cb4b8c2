"""Agent hosts: configuring `oc-mcp` for them, and testing it."""

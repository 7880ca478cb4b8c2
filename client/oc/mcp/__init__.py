"""Agent hosts: what they are told about `oc-mcp`, and whether it works for them."""

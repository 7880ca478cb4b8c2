"""oc-mcp: what an agent host launches to reach the OpenChrome daemon."""

"""Sessions and browser contexts: who owns which tabs; permissions."""

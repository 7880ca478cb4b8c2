"""Help and shell completion."""

"""Help and a shell's completion."""

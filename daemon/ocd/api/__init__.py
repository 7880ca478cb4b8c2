"""Everything that outsiders may import; imports msgspec and the standard library only."""

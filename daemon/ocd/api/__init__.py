"""All that outsiders may import; msgspec and the standard library only."""

"""Finding elements and waiting for them."""

"""Output handles: large results on disk, fetched in pages."""

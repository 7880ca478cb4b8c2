"""The page engine: its scripts inside a page, and element refs."""

"""Output: results as text, progress."""

"""What is shown: results as text, progress."""

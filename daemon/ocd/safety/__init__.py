"""Rules that keep page text, secrets, paths and domains in their place; pure."""

"""Safety rules for page text, secrets, paths and domains. Pure."""

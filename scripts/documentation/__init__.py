"""The documentation site: composed from what the repository has, then built by MkDocs."""

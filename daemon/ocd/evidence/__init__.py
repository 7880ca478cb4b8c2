"""Evidence bundles: taken from pages, stored, compared."""

"""Values out of pages: from what a page says for machines, and from how it lays things out."""

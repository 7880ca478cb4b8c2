"""Export of a crawl's pages to the formats of other programs, in one pass."""

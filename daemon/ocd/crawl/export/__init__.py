"""A crawl's pages in the formats of other programs, written as they are read."""

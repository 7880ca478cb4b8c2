"""The URLs that a crawl has still to fetch, in order, and those that it knows."""

"""What earlier runs of a crawl left, for one that goes on with it or is compared with it."""

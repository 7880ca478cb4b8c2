"""What earlier runs of a crawl left, for resuming it or comparing with it."""

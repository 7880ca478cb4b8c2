"""What others wrote, crawled to its last page and held against an independent crawler's count."""

"""What a crawl keeps besides page records: raw responses, screenshots, PDFs."""

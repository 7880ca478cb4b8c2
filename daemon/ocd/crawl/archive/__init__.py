"""What a crawl keeps of pages besides their records: raw answers, pictures, PDFs."""

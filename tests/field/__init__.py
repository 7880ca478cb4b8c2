"""What others wrote: their documentation crawled, and their pages and applications worked on."""

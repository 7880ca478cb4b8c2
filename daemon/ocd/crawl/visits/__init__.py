"""One page at a time: its visit, what comes of it, and pages that are routes of a document."""

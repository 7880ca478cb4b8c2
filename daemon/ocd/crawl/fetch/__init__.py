"""Getting a page: over HTTP or in the browser, its bytes as text, its faults as errors."""

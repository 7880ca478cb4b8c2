"""Fetching a page over HTTP or in the browser: decoding its bytes, and its errors."""

"""What a page says and how it is acted on. Imports browser, never the other way."""

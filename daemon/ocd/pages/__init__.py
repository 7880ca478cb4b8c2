"""Reading pages and acting on them. Imports browser, never the other way round."""

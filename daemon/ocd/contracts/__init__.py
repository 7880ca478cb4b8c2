"""Contracts: what must be true of a page, judged on evidence alone. Pure: no browser, no disk."""

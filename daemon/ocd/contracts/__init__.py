"""Contracts: conditions on a page, judged on evidence alone. Pure: no browser, no disk."""

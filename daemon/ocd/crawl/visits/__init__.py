"""Visiting one page: the visit, its outcome, and hash routes."""

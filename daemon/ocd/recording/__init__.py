"""Recordings that are going on; what is on disk is in records."""

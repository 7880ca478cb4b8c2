"""Processes beside the daemon that convert documents to text, with limits, and ended with it."""

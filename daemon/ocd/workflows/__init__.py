"""Workflows and their workers, batches, pagination, plans."""

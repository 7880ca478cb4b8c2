"""Divided work: workflows and their workers, batches, pagination, plans."""

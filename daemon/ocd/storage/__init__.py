"""Durable files: atomic writes, crash points, the journal, keyed logs, payloads."""

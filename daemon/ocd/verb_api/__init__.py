"""All that a verb module imports: how a verb is declared, nested calls, shared parameters."""

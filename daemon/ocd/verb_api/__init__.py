"""Everything that a verb module imports: declarations, nested calls, shared parameters."""

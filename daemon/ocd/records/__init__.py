"""Small durable stores: the journal."""

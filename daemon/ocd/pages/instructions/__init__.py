"""Instructions in words: grammar, parser, executor."""

"""Instructions in English: grammar, parser, executor."""

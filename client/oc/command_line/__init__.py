"""The command line: which commands exist, their spelling and parsing. Pure."""

"""The words of a command line: which commands there are, how they are spelt and parsed. Pure."""

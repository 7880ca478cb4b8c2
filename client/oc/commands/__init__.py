"""The commands that are not verbs of the daemon."""

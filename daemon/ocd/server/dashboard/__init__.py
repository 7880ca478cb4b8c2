"""The dashboard: one page for a person, served on a port of this machine."""

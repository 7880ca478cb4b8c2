"""The relay between a host and the daemon: standard library only."""

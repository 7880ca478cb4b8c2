"""The connection to the daemon, which is started if none runs."""

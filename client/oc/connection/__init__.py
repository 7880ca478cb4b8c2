"""The connection to the daemon, which is started if it is not running."""

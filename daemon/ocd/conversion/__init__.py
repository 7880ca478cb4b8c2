"""The processes beside the daemon that turn documents into text: bounded, and ended with it."""

"""The daemon as a process: home lock, readiness notifications, host checks."""

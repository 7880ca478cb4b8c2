"""Recordings of a session's actions: recorders, files and exports."""

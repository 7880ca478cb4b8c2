"""Attached programs: a CDP endpoint that shows only one session's tabs."""

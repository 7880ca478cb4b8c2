"""Programs of people that are attached to a session: a CDP endpoint that shows its tabs alone."""

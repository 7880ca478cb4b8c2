"""Fields of dates and times."""

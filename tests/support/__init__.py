"""What the tests stand on: a fixture site, daemons of their own, waiting and transcripts."""

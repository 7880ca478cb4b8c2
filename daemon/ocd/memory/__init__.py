"""What an agent keeps between sessions: notes, checkpoints, session snapshots."""

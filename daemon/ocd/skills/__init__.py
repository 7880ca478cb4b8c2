"""Skills: recorded steps, recalled by how well they worked, and replayed."""

"""Skills: made of what was done, recalled by how they did, and done again."""

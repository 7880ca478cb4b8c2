"""Controls that are chosen from: their lists, and the values that they show as chosen."""

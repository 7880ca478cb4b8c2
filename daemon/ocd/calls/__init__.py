"""Processing of calls: dispatch, decoding, policies, replies, large-output guard, catalog."""

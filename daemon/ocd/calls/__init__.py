"""The road of a call: dispatch, decoding, policies, replies, large-output guard, catalog."""

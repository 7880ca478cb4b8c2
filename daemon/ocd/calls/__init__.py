"""The road of a call: dispatch, decoding, policies, replies, the large-output guard, the catalog."""

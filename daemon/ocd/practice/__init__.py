"""The practice site of the documentation: what its commands can be pasted against, offline."""

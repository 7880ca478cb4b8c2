"""Videos of recordings, as WebM. Encoding needs the extra `video`."""

"""Films of recordings: what a tab showed, as WebM. The encoding needs the extra `video`."""

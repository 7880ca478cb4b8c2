"""Values out of pages: embedded metadata, tables, labels, cards. Pure."""

"""HTML to Markdown and text, content filters, line diffs. Pure."""

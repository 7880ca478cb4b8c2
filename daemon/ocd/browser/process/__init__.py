"""The Chromium process: discovery, launch, command line, downloads, orphans, request policy."""

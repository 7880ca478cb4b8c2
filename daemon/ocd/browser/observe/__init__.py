"""A tab's output: console, network requests, response bodies, HAR."""

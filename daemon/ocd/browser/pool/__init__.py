"""The pool of background tabs that crawls use."""

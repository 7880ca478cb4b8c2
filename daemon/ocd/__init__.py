"""The OpenChrome daemon: one Chromium, a task ledger and a store of output handles."""

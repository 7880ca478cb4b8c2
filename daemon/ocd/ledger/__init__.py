"""The task ledger: background work that survives crashes."""

"""Cookies, web storage, IndexedDB, storage state."""

"""Tabs: page loads, frames, dialogs, evaluate, screenshots, PDF."""

"""Metrics, traces and insights."""

"""Monitoring: metrics for Prometheus, and spans of calls for OpenTelemetry."""

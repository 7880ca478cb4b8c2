"""What monitoring reads: figures for Prometheus, and spans of calls for OpenTelemetry."""

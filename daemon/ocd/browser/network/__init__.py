"""Outgoing requests: interception, HTTP authentication, throttling."""

"""Requests as they go out: interception, HTTP authentication, throttling."""

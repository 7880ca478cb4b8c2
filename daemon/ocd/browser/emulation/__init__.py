"""Devices, user agents, geolocation, media."""

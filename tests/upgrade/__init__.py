"""An older release writes a home, the newer one reads it and goes on: `make upgrade`."""

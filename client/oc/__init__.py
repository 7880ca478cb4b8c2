"""oc: the thin client of the OpenChrome daemon."""

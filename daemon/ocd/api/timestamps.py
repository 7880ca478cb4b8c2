"""Timestamps: RFC 3339, UTC, with milliseconds (2026-03-01T12:00:00.000Z)."""

from datetime import UTC, datetime


def rfc3339(moment: datetime | float) -> str:
    """Return a moment (a UTC datetime, or seconds since the epoch) as an RFC 3339 timestamp."""
    when = moment if isinstance(moment, datetime) else datetime.fromtimestamp(moment, UTC)
    return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def now() -> str:
    """Return the time now."""
    return rfc3339(datetime.now(UTC))

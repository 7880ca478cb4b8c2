"""A crawl's progress as text, the same for a terminal, a log and an MCP host."""

from collections.abc import Mapping
from typing import Any


def speed(figures: Mapping[str, Any]) -> list[str]:
    """Return short parts, the most useful first: 12.3/s, 1:05 left, 40 queued."""
    words = [f"{_rate(figures['pages_per_s'])}/s"]
    if "left_s" in figures:
        words.append(f"{_clock(figures['left_s'])} left")
    return [*words, f"{figures['queued']} queued"]


def failures(figures: Mapping[str, Any]) -> str:
    """Return how many pages failed, and of what: 3 failed (http_error 2, timeout 1); or ""."""
    by_code = figures["failures"]
    if not by_code:
        return ""
    kinds = ", ".join(f"{code} {count}" for code, count in by_code.items())
    return f"{sum(by_code.values())} failed ({kinds})"


def hosts(figures: Mapping[str, Any]) -> str:
    """Return the hosts with their pages and speed, if there are several: a.org 90 5.1/s; or ""."""
    named = figures["hosts"]
    if len(named) < 2:
        return ""
    return ", ".join(
        f"{host['host']} {host['pages']} {_rate(host['pages_per_s'])}/s" for host in named
    )


def line(figures: Mapping[str, Any]) -> str:
    """Return all of it in one line."""
    parts = [*speed(figures), failures(figures), hosts(figures)]
    return ", ".join(part for part in parts if part)


def _rate(per_second: float) -> str:
    return f"{per_second:.0f}" if per_second >= 10 else f"{per_second:.1f}"


def _clock(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"

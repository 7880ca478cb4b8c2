"""Network throttling: presets and custom values."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Speed:
    """Kilobits per second down and up, latency in milliseconds; offline: no network at all."""

    down: float
    up: float
    latency: float
    offline: bool = False

    def conditions(self) -> dict[str, Any]:
        """Return CDP's network conditions (bytes per second; 0 would mean no limit)."""
        return {
            "offline": self.offline,
            "latency": self.latency,
            "downloadThroughput": -1 if self.offline else self.down * 125,
            "uploadThroughput": -1 if self.offline else self.up * 125,
        }


PRESETS = {
    "offline": Speed(0, 0, 0, offline=True),
    "slow-2g": Speed(50, 20, 2000),
    "2g": Speed(250, 50, 300),
    "slow-3g": Speed(400, 400, 2000),
    "3g": Speed(1500, 750, 100),
    "fast-3g": Speed(1600, 750, 150),
    "slow-4g": Speed(1600, 750, 150),
    "4g": Speed(20_000, 10_000, 20),
    "fast-4g": Speed(9000, 1500, 60),
    "fast-wifi": Speed(100_000, 50_000, 2),
}

"""A clock that stands still until it is moved."""


class Clock:
    """Returns `now`, in seconds since the epoch; a test moves it."""

    def __init__(self) -> None:
        self.now = 1_780_000_000.0  # 2026-05-28T20:26:40Z

    def __call__(self) -> float:
        return self.now

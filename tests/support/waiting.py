"""Wait for a condition with a deadline; the only clock a test looks at."""

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
STEP_S = 0.02
# A deadline is there to end a test that has failed; on a busy machine everything takes long.
LEAST_S = 120.0


def wait_until(condition: Callable[[], T], timeout: float = 10.0, what: str = "") -> T:
    """Return the first true value of `condition`; fail with its last value after `timeout` s.

    It waits for `LEAST_S` at least.
    """
    timeout = max(timeout, LEAST_S)
    deadline = time.monotonic() + timeout
    pause = threading.Event()
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            name = what or getattr(condition, "__doc__", None) or "condition"
            raise AssertionError(f"waited {timeout} s for {name}; last value: {value!r}")
        pause.wait(STEP_S)

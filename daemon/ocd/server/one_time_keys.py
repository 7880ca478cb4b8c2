"""One-time keys: they admit one caller, once, for some time; stored in memory as digests only."""

import time
from collections.abc import Callable
from hashlib import sha256
from secrets import token_urlsafe
from typing import Generic, TypeVar

from ocd.api.bounded_dict import BoundedDict

# The oldest one goes when there is one more.
MAX_KEYS = 32

T = TypeVar("T")


class OneTimeKeys(Generic[T]):
    """What each key stands for, until it is redeemed or expired."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._keys = BoundedDict[bytes, tuple[T, float]](MAX_KEYS)

    def new(self, value: T, life_s: float) -> str:
        """Return a key that stands for `value`."""
        key = token_urlsafe(32)
        self._keys[digest(key)] = (value, self._clock() + life_s)
        return key

    def find(self, key: str) -> T | None:
        """Return what the key stands for, without using it up; None if it is not valid."""
        value, until = self._keys.get(digest(key), (None, 0.0))
        return value if until >= self._clock() else None

    def redeem(self, key: str) -> T | None:
        """Use the key up and return its value; None if it is unknown, used or expired."""
        value = self.find(key)
        self._keys.pop(digest(key), None)
        return value

    def __len__(self) -> int:
        return len(self._keys)


def digest(secret: str) -> bytes:
    """Return the SHA-256 digest under which a key is stored."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()

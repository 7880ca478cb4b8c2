"""How many concurrent requests an origin can take, from its response times (adaptive).

The algorithm is TCP Vegas (Brakmo and Peterson, 1995), as services use it to limit their own calls:
responses that take longer than those of the fastest round have waited in a queue there. If there
are few of them, the limit rises by one (at first it doubles); if many, it falls by an eighth; after
a failure, it is halved. From time to time the fastest round is measured again, from two requests
on.
"""

import math

_FIRST = 2
# The fewest answers in a round: pages differ, and a single one says little.
_ROUND = 8
# How often the fastest round is measured again: the site may have changed.
_PROBE_ROUNDS = 100


class AdaptiveLimit:
    """The limit of one origin, between 1 and `highest`."""

    def __init__(self, highest: int) -> None:
        self.limit = min(_FIRST, highest)
        self._highest = highest
        self._is_starting = True
        self._fastest_s = math.inf
        self._rounds = 0
        self._begin_round()

    def _begin_round(self) -> None:
        self._answers, self._took_s, self._max_at_once = 0, 0.0, 0
        self._has_failed = False

    def note_answer(self, took_s: float, at_once: int) -> None:
        """Count an answer.

        Args:
            took_s: how long it took.
            at_once: how many requests were in flight together with it.
        """
        self._answers += 1
        self._took_s += took_s
        self._max_at_once = max(self._max_at_once, at_once)
        if self._answers >= max(_ROUND, self.limit):
            self._judge_round(self._took_s / self._answers)
            self._begin_round()

    def note_failure(self) -> None:
        """Count a failure; failures of requests that were in flight together count once."""
        if not self._has_failed:
            self.limit = max(1, self.limit // 2)
            self._is_starting = False
        self._begin_round()
        self._has_failed = True

    def _judge_round(self, mean_s: float) -> None:
        self._rounds += 1
        if self._rounds % _PROBE_ROUNDS == 0:
            self._fastest_s, self._is_starting = math.inf, True
            self.limit = min(_FIRST, self._highest)
            return
        self._fastest_s = min(self._fastest_s, mean_s)
        queued = self.limit * (1 - self._fastest_s / mean_s) if mean_s else 0.0
        few = 3 * max(1.0, math.log10(self.limit))
        if queued > 2 * few:
            self.limit = max(1, self.limit - max(1, self.limit // 8))
            self._is_starting = False
        elif queued > few:
            self._is_starting = False
        elif 2 * self._max_at_once >= self.limit:  # otherwise the limit is not what holds it back
            more = self.limit if self._is_starting else 1
            self.limit = min(self._highest, self.limit + more)

    def __repr__(self) -> str:
        return f"AdaptiveLimit({self.limit})"

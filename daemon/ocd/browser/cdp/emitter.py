"""Listeners by event name."""

import logging
from collections.abc import Callable, Iterable

logger = logging.getLogger(__name__)

Listener = Callable[..., object]


def call_each(listeners: Iterable[Listener], event: str, *args: object) -> None:
    """Call every listener.

    An exception in one of them is logged and does not stop the others: if it reached the
    connection's reader, the event loop would close the connection, and every session would lose its
    browser.
    """
    for listener in tuple(listeners):
        try:
            listener(*args)
        except Exception:  # listeners are code of any package; see above
            logger.exception("A listener to %s failed: %r", event, listener)


class Emitter:
    """Calls listeners in the order in which they were added."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Listener]] = {}

    def on(self, event: str, listener: Listener) -> Listener:
        """Call `listener(*args)` for every `event`; return the listener."""
        self._listeners.setdefault(event, []).append(listener)
        return listener

    def once(self, event: str, listener: Listener) -> Listener:
        """Call `listener(*args)` for the next `event` only; return what `off` takes."""

        def call_once(*args: object) -> object:
            self.off(event, call_once)
            return listener(*args)

        return self.on(event, call_once)

    def off(self, event: str, listener: Listener) -> None:
        """Remove one registration of `listener`; no error if there is none."""
        listeners = self._listeners.get(event, [])
        if listener in listeners:
            # A copy, because emit may be iterating over the list.
            rest = list(listeners)
            rest.remove(listener)
            self._listeners[event] = rest
            if not rest:
                del self._listeners[event]

    def emit(self, event: str, *args: object) -> bool:
        """Call the listeners of `event`; return whether there were any."""
        listeners = self._listeners.get(event)
        if not listeners:
            return False
        call_each(listeners, event, *args)
        return True

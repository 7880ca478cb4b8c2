"""Listeners by event name, with the method names that pyppeteer expects of pyee."""

import asyncio
import inspect
import logging
from collections.abc import Callable, Iterable
from typing import Any

logger = logging.getLogger(__name__)

Listener = Callable[..., object]


def call_each(listeners: Iterable[Listener], event: str, *args: object) -> list[object]:
    """Call all listeners and return what those returned that did not raise.

    What one of them raises is logged and is nobody else's: an exception that left the connection's
    reader would make the loop close it, and every session's browser would go.
    """
    results: list[object] = []
    for listener in tuple(listeners):
        try:
            results.append(listener(*args))
        except Exception:
            logger.exception("A listener to %s failed: %r", event, listener)
    return results


class Emitter:
    """Calls listeners in the order in which they came; a coroutine function runs as a task."""

    def __init__(self) -> None:
        self._listeners: dict[str, list[Listener]] = {}
        self._running: set[asyncio.Task[object]] = set()

    def on(self, event: str, listener: Listener | None = None) -> Any:  # noqa: ANN401 - pyee's
        """Call `listener(params)` for every `event`; without a listener, a decorator."""
        if listener is None:
            return lambda function: self.on(event, function)
        self._listeners.setdefault(event, []).append(listener)
        return listener

    def once(self, event: str, listener: Listener) -> Listener:
        """Call `listener(params)` for the next `event` only."""

        def first(*args: object) -> object:
            self.off(event, first)
            return listener(*args)

        self.on(event, first)
        return listener

    def off(self, event: str, listener: Listener) -> None:
        """Forget one registration of `listener`; no error if there is none."""
        listeners = self._listeners.get(event, [])
        if listener in listeners:
            # A copy: the list may be walked by emit right now.
            rest = list(listeners)
            rest.remove(listener)
            self._listeners[event] = rest
            if not rest:
                del self._listeners[event]

    remove_listener = off

    def remove_all_listeners(self, event: str | None = None) -> None:
        """Forget the listeners of `event`, or all of them."""
        if event is None:
            self._listeners.clear()
        else:
            self._listeners.pop(event, None)

    def emit(self, event: str, *args: object) -> bool:
        """Call the listeners of `event`; tell whether there was one."""
        listeners = self._listeners.get(event)
        if not listeners:
            return False
        for result in call_each(listeners, event, *args):
            if inspect.iscoroutine(result):
                # Only pyppeteer listens with coroutines; nobody waits for them.
                task = asyncio.get_running_loop().create_task(result)
                self._running.add(task)
                task.add_done_callback(self._running.discard)
        return True

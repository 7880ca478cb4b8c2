"""Waiting for conditions on a page: events, selectors, functions, URLs."""

import asyncio
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.observe.text_patterns import text_test
from ocd.browser.tabs.navigation import LIFECYCLE
from ocd.browser.tabs.page_target import PageTarget

KINDS = (
    "selector", "selector_hidden", "function", "navigation", "url_match", "load", "dom", "idle",
    "download", "timeout",
)  # fmt: skip

# Resolves when `probe` gives something true. Mutations and frames wake it; the timer is for what
# neither shows (a variable, a page in the background), and ends the wait with the caller's time.
_WATCH = """(probe, stop) => new Promise((resolve, reject) => {
  let frame = 0;
  const end = (settle, value) => {
    observer.disconnect();
    clearInterval(timer);
    cancelAnimationFrame(frame);
    settle(value);
  };
  const look = () => {
    let value;
    try { value = probe(); } catch (error) { end(reject, error); return true; }
    if (value && typeof value.then === 'function') {
      value.then((late) => late && end(resolve, late), (error) => end(reject, error));
      return false;
    }
    if (value) end(resolve, value);
    else if (Date.now() > stop) end(resolve, null);
    else return false;
    return true;
  };
  const observer = new MutationObserver(look);
  const timer = setInterval(look, 100);
  const step = () => { if (!look()) frame = requestAnimationFrame(step); };
  observer.observe(document, {
    subtree: true, childList: true, attributes: true, characterData: true,
  });
  step();
})"""
_SELECTOR = """(selector, visible, hidden, stop) => {
  const shown = (element) => element.checkVisibility({
    opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true,
  }) && element.getClientRects().length > 0;
  const probe = () => {
    const found = [...Document.prototype.querySelectorAll.call(document, selector)];
    if (hidden) return !found.some(shown);
    return visible ? found.some(shown) : found.length > 0;
  };
  return (WATCH)(probe, stop);
}""".replace("WATCH", _WATCH)
# Runs among the page's own scripts, which may have replaced any global, so it only uses syntax.
_FUNCTION = """async () => {
  const made = (SOURCE
  );
  const value = await (typeof made === 'function' ? made() : made);
  return value ? {value} : null;
}"""
# Resolves with the page's next change, or soon: most conditions come true with a change.
_CHANGE = """() => new Promise((resolve) => {
  const end = () => { observer.disconnect(); clearTimeout(timer); resolve(null); };
  const observer = new MutationObserver(end);
  const timer = setTimeout(end, 50);
  observer.observe(document, {
    subtree: true, childList: true, attributes: true, characterData: true,
  });
})"""


async def wait_for(
    tab: PageTarget, kind: str, value: str, timeout_s: float, *, visible: bool = False
) -> Any:  # noqa: ANN401 - a function's value
    """Wait until the condition holds; return a function's value, or True.

    Args:
        tab: the tab.
        kind: `selector` (a match exists; with visible: is visible), `selector_hidden` (no match is
            visible), `function` (an expression or a function returns something true), `navigation`
            (the page that is loading, or the next one, has loaded), `url_match` (glob, part of the
            address, or /regular expression/), `load`, `dom`, `idle` (the current page has reached
            that), `timeout` (value in milliseconds), `download` (the files that have been
            downloading since the latest action began, or else the next one; returns their
            descriptions).
        value: what to wait for.
        timeout_s: how long.
        visible: whether a selector's match must be visible.

    Raises:
        OcdError: timeout, and invalid_argument for an unknown kind, selector or number.
    """
    if kind == "timeout":
        seconds = _milliseconds(value) / 1000
        await asyncio.sleep(min(seconds, timeout_s))
        if seconds > timeout_s:
            raise _timeout_error(f"{seconds:g} s to pass", timeout_s)
        return True
    try:
        async with asyncio.timeout(timeout_s):
            return await _wait(tab, kind, value, timeout_s, visible=visible)
    except TimeoutError:
        raise _timeout_error(f"{kind} {value}".strip(), timeout_s) from None


def _timeout_error(what: str, timeout_s: float) -> OcdError:
    return OcdError(
        "timeout",
        f"Waited {timeout_s:g} s for {what}.",
        hint="Read the page to see its state, or raise timeout_ms.",
    )


async def _wait(tab: PageTarget, kind: str, value: str, timeout_s: float, *, visible: bool) -> Any:  # noqa: ANN401
    if kind in ("selector", "selector_hidden"):
        return await _selector(tab, value, timeout_s, visible=visible, hidden=kind != "selector")
    if kind == "function":
        return await _function(tab, _FUNCTION.replace("SOURCE", value))
    if kind == "download":
        return await _download(tab)
    documents = tab.page_loads
    if kind == "navigation":
        await _navigation(tab)
    elif kind == "url_match":
        fits = text_test(value)
        await documents.wait_until(lambda: fits(tab.url))
    elif kind in LIFECYCLE:
        await documents.wait_until(lambda: documents.current.has_reached(LIFECYCLE[kind]))
    else:
        raise OcdError("invalid_argument", f"Cannot wait for {kind!r}.", expected=list(KINDS))
    return True


async def _download(tab: PageTarget) -> list[dict[str, Any]]:
    while not (files := [file for file in tab.downloads if not file.consumed]):
        await _wait_for_download_start(tab)
    for file in files:
        await file.wait_done()
        file.consumed = True
    return [file.to_dict() for file in files]


async def _wait_for_download_start(tab: PageTarget) -> None:
    # The future fails if the tab ends meanwhile.
    started = tab.cdp.create_future()

    def on_download(_: object) -> None:
        if not started.done():
            started.set_result(None)

    tab.events.on("download", on_download)
    try:
        await started
    finally:
        tab.events.off("download", on_download)


async def _navigation(tab: PageTarget) -> None:
    documents = tab.page_loads
    count = documents.navigation_count
    # A navigation in progress counts: the caller's click may have started it.
    if documents.current.has_reached("load"):
        await documents.wait_until(lambda: documents.navigation_count > count)
    await documents.wait_until(lambda: documents.current.has_reached("load"))


async def _selector(
    tab: PageTarget, selector: str, timeout_s: float, *, visible: bool, hidden: bool
) -> bool:
    try:
        await _in_page(tab, _SELECTOR, timeout_s, (selector, visible, hidden))
    except OcdError as error:
        if error.code == "script_error" and "is not a valid selector" in error.message:
            raise OcdError("invalid_argument", f"Not a CSS selector: {selector}") from None
        raise
    return True


async def _function(tab: PageTarget, source: str) -> Any:  # noqa: ANN401 - a function's value
    while True:
        try:
            result = await tab.evaluate(source, args=())
            if result is not None:
                return result["value"]
            await tab.evaluate(_CHANGE, args=(), isolated=True)
        except OcdError as error:
            _raise_unless_navigated(error)


async def _in_page(tab: PageTarget, source: str, timeout_s: float, args: tuple[object, ...]) -> Any:  # noqa: ANN401 - a function's value
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout_s
    while True:
        try:
            now = await tab.evaluate("Date.now()", isolated=True)
            stop = now + (end - loop.time()) * 1000
            value = await tab.evaluate(source, args=(*args, stop), isolated=True)
        except OcdError as error:
            _raise_unless_navigated(error)
            continue
        if value is None:
            raise TimeoutError
        return value


def _raise_unless_navigated(error: OcdError) -> None:
    # The page navigated: the wait continues in the next document.
    if not error.details.get("navigated"):
        raise error


def _milliseconds(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1
    if not 0 <= number < float("inf"):
        raise OcdError("invalid_argument", f"Not a number of milliseconds: {value!r}")
    return number

"""Reports of scripts of ours that run in a page's own world, before the page's scripts."""

from collections.abc import Callable
from secrets import token_hex
from typing import Any

import msgspec

from ocd.browser.cdp.connection import CdpSession, Event
from ocd.browser.injected import script
from ocd.browser.tabs.evaluate import ENABLED_AGAIN


def listen(
    cdp: CdpSession,
    name: str,
    on_report: Callable[[str], None],
    *arguments: Any,  # noqa: ANN401 - any JSON values
) -> None:
    """Run a script in each new document of a target, and pass what it reports to `on_report`.

    name: a function in `injected`, which gets the name of a global function to report with, and has
    to delete it before the page's scripts run, and `arguments`. No page can guess the name.
    """
    binding = f"b{token_hex(8)}"

    def on_binding_called(event: Event) -> None:
        if event["name"] == binding:
            on_report(event["payload"])

    def add_binding() -> None:
        cdp.send_nowait("Runtime.addBinding", {"name": binding})

    cdp.on("Runtime.bindingCalled", on_binding_called)
    cdp.on(ENABLED_AGAIN, add_binding)
    add_binding()
    given = msgspec.json.encode([binding, *arguments]).decode()
    source = f"({script(name)})(...{given})"
    cdp.send_nowait("Page.addScriptToEvaluateOnNewDocument", {"source": source})

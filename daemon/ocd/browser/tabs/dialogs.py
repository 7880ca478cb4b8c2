"""JavaScript dialogs (alert, confirm, prompt): kept open for the caller without blocking calls."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ocd.api.errors import OcdError
from ocd.api.tool_calls import ANSWER_DIALOG
from ocd.browser.cdp.connection import CdpSession, Event
from ocd.browser.cdp.emitter import Emitter

# How many dialogs a page may open while it is being left.
MAX_DECLINED_DIALOGS = 1000


@dataclass(frozen=True, slots=True)
class Dialog:
    """An open dialog: kind alert, confirm or prompt; `default` is a prompt's initial value."""

    kind: str
    message: str
    default: str = ""
    url: str = ""

    def error(self) -> OcdError:
        """Return the dialog_open error of a call that cannot be answered because of the dialog."""
        return OcdError(
            "dialog_open",
            f"A dialog is open ({self.kind}): {self.message}",
            hint=f"Answer it: {ANSWER_DIALOG}",
            dialog={"type": self.kind, "message": self.message, "default": self.default},
        )


class Dialogs:
    """Watches one tab for dialogs: while one is open, its page's scripts are blocked."""

    def __init__(
        self, cdp: CdpSession, halt: Callable[[OcdError], None], resume: Callable[[], None]
    ) -> None:
        self._cdp = cdp
        self._halt = halt
        self._resume = resume
        self.opened: Dialog | None = None
        self._declines: Callable[[], bool] = lambda: False

    @contextmanager
    def decline_while(self, while_: Callable[[], bool]) -> Iterator[None]:
        """Dismiss dialogs that open in the block while the condition holds."""
        counter = itertools.chain(
            range(MAX_DECLINED_DIALOGS), itertools.repeat(MAX_DECLINED_DIALOGS)
        )
        self._declines = lambda: while_() and next(counter) < MAX_DECLINED_DIALOGS
        try:
            yield
        finally:
            self._declines = lambda: False

    def start(self, events: Emitter) -> None:
        """Listen; "dialog" is emitted for each dialog that stays open."""
        self._events = events
        self._cdp.on("Page.javascriptDialogOpening", self._on_opening)
        self._cdp.on("Page.javascriptDialogClosed", self._on_closed)

    def _on_opening(self, event: Event) -> None:
        if event["type"] == "beforeunload":
            # A navigation or a close is meant: leave the page.
            self._cdp.send_nowait("Page.handleJavaScriptDialog", {"accept": True})
            self._events.emit("left_unsaved")
            return
        if self._declines():
            self._cdp.send_nowait("Page.handleJavaScriptDialog", {"accept": False})
            return
        self.opened = dialog = Dialog(
            event["type"], event["message"], event.get("defaultPrompt", ""), event["url"]
        )
        self._halt(dialog.error())
        self._events.emit("dialog", dialog)

    def _on_closed(self, _: Event) -> None:
        self.opened = None
        self._resume()

    async def answer(self, *, accept: bool, text: str = "") -> Dialog:
        """Close the open dialog and return it; not_found if none is open any more."""
        dialog = self.opened
        if dialog is None:
            raise OcdError("not_found", "No dialog is open in this tab.")
        params = {"accept": accept, **({"promptText": text} if dialog.kind == "prompt" else {})}
        try:
            await self._cdp.send("Page.handleJavaScriptDialog", params)
        except OcdError as error:
            if error.code != "cdp_error" or "No dialog is showing" not in error.message:
                raise
            self._forget(dialog)
            raise OcdError("not_found", "The dialog has closed by itself.") from None
        self._forget(dialog)
        return dialog

    def _forget(self, dialog: Dialog) -> None:
        if self.opened is dialog:
            self.opened = None
            self._resume()

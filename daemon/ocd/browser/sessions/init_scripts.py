"""Init scripts: run in each of a session's documents before the page's own scripts."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ocd.api.errors import OcdError, did_you_mean
from ocd.api.timestamps import now
from ocd.api.tool_calls import tool_call
from ocd.browser.cdp.connection import CdpSession, Result
from ocd.browser.tabs.tab import Tab

MAX_SCRIPTS = 50
MAX_CHARS = 4_000_000
# A page that hangs or shows a dialog obeys once it can; it is not waited for longer.
_OBEYED_S = 1.0


@dataclass(eq=False, slots=True)
class InitScript:
    """One script; `installed` has Chromium's answer from each target that it was added to."""

    id: str
    source: str
    added_at: str
    installed: dict[CdpSession, Result] = field(default_factory=dict[CdpSession, Result])


class InitScripts:
    """A session's init scripts, in the order in which they run.

    Args:
        tabs: The session's tabs, as they come and go.
    """

    def __init__(self, tabs: list[Tab]) -> None:
        self._tabs = tabs
        self._by_id: dict[str, InitScript] = {}
        self._number = 0

    def __iter__(self) -> Iterator[InitScript]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    async def add(self, source: str) -> InitScript:
        """Run `source` in every document that the session loads from now on; limit_reached."""
        self._check_limits(source)
        self._number += 1
        script = InitScript(f"s{self._number}", source, now())
        self._by_id[script.id] = script
        await _settle(_install(script, cdp) for cdp in self._targets())
        return script

    def _check_limits(self, source: str) -> None:
        chars = len(source) + sum(len(script.source) for script in self)
        if len(self) < MAX_SCRIPTS and chars <= MAX_CHARS:
            return
        raise OcdError(
            "limit_reached",
            f"A session can have {MAX_SCRIPTS} init scripts with {MAX_CHARS:,} characters in "
            "total.",
            hint=f"Remove one: {tool_call('init_script', action='remove', id='ID')}",
            limit=MAX_SCRIPTS,
        )

    async def remove(self, script_id: str) -> None:
        """Stop running the script in new documents; not_found."""
        script = self._by_id.pop(script_id, None)
        if script is None:
            hint = did_you_mean(
                script_id, self._by_id, f"List them: {tool_call('init_script', action='list')}"
            )
            raise OcdError("not_found", f"There is no init script {script_id[:200]!r}.", hint=hint)
        await _settle(_uninstall(script, cdp) for cdp in tuple(script.installed))

    def start(self, cdp: CdpSession) -> None:
        """Add the scripts to a target that has not run anything yet."""
        for script in self:
            # Also at once, because the empty document with which a pop-up begins exists already.
            _ = _install(script, cdp, at_once=True)

    def _targets(self) -> Iterator[CdpSession]:
        for tab in self._tabs:
            yield from tab.sessions

    def __repr__(self) -> str:
        return f"InitScripts({list(self._by_id)})"


def _install(script: InitScript, cdp: CdpSession, *, at_once: bool = False) -> Result:
    params = {"source": _source(script), "runImmediately": at_once}
    result = cdp.send("Page.addScriptToEvaluateOnNewDocument", params)
    script.installed[cdp] = result
    cdp.once("disconnected", lambda: script.installed.pop(cdp, None))
    return result


def _source(script: InitScript) -> str:
    # The console uses this name for the script's messages and errors.
    return f"{script.source}\n//# sourceURL=init_script_{script.id}.js"


def _uninstall(script: InitScript, cdp: CdpSession) -> Result:
    """Remove the script as soon as Chromium has answered with its identifier."""
    removed: Result = asyncio.get_running_loop().create_future()

    def on_installed(installed: Result) -> None:
        if installed.cancelled() or installed.exception() is not None:
            removed.cancel()  # the target is gone, and the script with it
            return
        params = {"identifier": installed.result()["identifier"]}
        answer = cdp.send("Page.removeScriptToEvaluateOnNewDocument", params)
        answer.add_done_callback(lambda _: removed.cancel())

    script.installed[cdp].add_done_callback(on_installed)
    return removed


async def _settle(results: Iterable[Result]) -> None:
    """Wait until all have replied, or the wait has timed out."""
    if waiting := list(results):
        await asyncio.wait(waiting, timeout=_OBEYED_S)

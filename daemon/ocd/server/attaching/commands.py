"""Browser commands of an attached program: answered for its session, or refused."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.safety.domain_policy import DomainPolicy
from ocd.server.attaching.call_rules import CallRules, visible_cookies
from ocd.server.attaching.channels import TAB_PREFIX, Channel
from ocd.server.attaching.targets import BROWSER, CHILD_FILTER, ProgramTargets, context_of

Params = dict[str, Any]

# A context with its own proxy would bypass the domain policy.
_CONTEXT_OPTIONS = ("proxyServer", "proxyBypassList", "originsWithUniversalNetworkAccess")


Handler = Callable[[Any, Channel, Params], Awaitable[Params]]


class Commands:
    """The commands about targets, the browser and stored cookies. close: ends the program."""

    def __init__(
        self, targets: ProgramTargets, rules: CallRules, close: Callable[[], None]
    ) -> None:
        self._targets = targets
        self._rules = rules
        self._close = close
        self._windows: set[int] = set()

    async def run(self, channel: Channel, method: str, params: Params) -> Params:
        """Return a command's result; raises OcdError for those that are refused."""
        handler = self._HANDLERS.get(method)
        if handler is None:
            raise not_allowed_error(method)
        return await handler(self, channel, params)

    def _addressed_tab(self, channel: Channel, params: Params) -> Tab:
        """Return the tab that a command names, or that its channel is about."""
        if params.get("targetId"):
            return self._targets.tab(params["targetId"])
        if channel.tab is None:
            raise OcdError("invalid_argument", "targetId is needed")
        return channel.tab

    async def _ask(self, method: str, params: Params | None = None) -> Params:
        assert self._targets.root.cdp is not None
        return await self._targets.root.cdp.send(method, params)

    # --- targets -----------------------------------------------------------------------------

    async def _get_targets(self, _channel: Channel, params: Params) -> Params:
        return {"targetInfos": await self._targets.list(params.get("filter"))}

    async def _get_target_info(self, channel: Channel, params: Params) -> Params:
        if params.get("targetId") or channel.tab is not None:
            info = await self._targets.info(self._addressed_tab(channel, params))
            if channel.cdp is None or str(params.get("targetId", "")).startswith(TAB_PREFIX):
                info = {**info, "targetId": TAB_PREFIX + info["targetId"], "type": "tab"}
            return {"targetInfo": info}
        return {"targetInfo": BROWSER}

    async def _discover(self, channel: Channel, params: Params) -> Params:
        if channel is not self._targets.root:
            raise not_allowed_error("Target.setDiscoverTargets on a further session")
        on = bool(params.get("discover"))
        await self._targets.discover(on=on, rules=params.get("filter"))
        return {}

    async def _auto_attach(self, channel: Channel, params: Params) -> Params:
        on, flat = bool(params.get("autoAttach")), bool(params.get("flatten"))
        targets = self._targets
        channel.nests = not flat
        if channel is targets.root:
            await targets.auto_attach(on=on, flat=flat, rules=params.get("filter"))
        elif channel.tab is None:
            raise not_allowed_error("Target.setAutoAttach on a further session of the browser")
        elif channel.cdp is None:
            if on and not self._has_child(channel):
                await targets.attach(channel.tab, channel, nested=channel.nests)
        else:
            waits = bool(params.get("waitForDebuggerOnStart"))
            options = {"autoAttach": on, "waitForDebuggerOnStart": waits, "flatten": True}
            await channel.cdp.send("Target.setAutoAttach", {**options, "filter": CHILD_FILTER})
        return {}

    def _has_child(self, channel: Channel) -> bool:
        return any(child.parent is channel for child in self._targets.channels.values())

    async def _attach(self, channel: Channel, params: Params) -> Params:
        tab, targets = self._targets.tab(params.get("targetId")), self._targets
        nested = not params.get("flatten")
        stands_in = str(params["targetId"]).startswith(TAB_PREFIX)
        attach = targets.attach_stand_in if stands_in else targets.attach
        return {"sessionId": (await attach(tab, channel, nested=nested)).id}

    async def _attach_browser(self, channel: Channel, _params: Params) -> Params:
        return {"sessionId": self._targets.attach_browser(channel).id}

    async def _detach(self, channel: Channel, params: Params) -> Params:
        ended = self._targets.channels.get(str(params.get("sessionId") or channel.id))
        if ended is None or ended is self._targets.root:
            raise OcdError("not_found", "No session with given id")
        await self._targets.detach(ended)
        return {}

    async def _create(self, _channel: Channel, params: Params) -> Params:
        url = str(params.get("url") or "about:blank")
        session = self._targets.session
        await self._rules.check_opening(session.sessions.chromium.guard.check, url)
        tab = await session.new_tab(
            background=bool(params.get("background")), context_id=self._context(params)
        )
        await self._targets.wait_announced(tab)
        if url != "about:blank":
            tab.cdp.send_nowait("Page.navigate", {"url": url})
        return {"targetId": tab.target_id}

    def _context(self, params: Params) -> str:
        """Return the worker's context that is named; an empty string for the profile's own."""
        context_id = params.get("browserContextId")
        if not context_id:
            return ""
        if context_id in {worker.context_id for worker in self._targets.session.workers}:
            return str(context_id)
        if context_id in self._targets.context_ids():
            return ""
        raise _no_context()

    async def _close_target(self, channel: Channel, params: Params) -> Params:
        tab = self._addressed_tab(channel, params)
        await self._rules.wait_free(tab)
        await tab.close()
        return {"success": True}

    async def _activate(self, channel: Channel, params: Params) -> Params:
        tab = self._addressed_tab(channel, params)
        await self._rules.wait_free(tab)
        await tab.activate()
        return {}

    # --- browser contexts --------------------------------------------------------------------

    async def _create_context(self, _channel: Channel, params: Params) -> Params:
        for option in _CONTEXT_OPTIONS:
            if params.get(option):
                raise OcdError("forbidden", f"An attached program may not set {option}")
        worker = await self._targets.session.workers.create("attached program")
        self._targets.contexts.append(worker)
        return {"browserContextId": worker.context_id}

    async def _dispose_context(self, _channel: Channel, params: Params) -> Params:
        for worker in self._targets.contexts:
            if worker.context_id == params.get("browserContextId"):
                self._targets.contexts.remove(worker)
                await self._targets.session.workers.close(worker)
                return {}
        raise _no_context()

    async def _list_contexts(self, _channel: Channel, _params: Params) -> Params:
        return {
            "browserContextIds": [worker.context_id for worker in self._targets.session.workers]
        }

    # --- the browser -------------------------------------------------------------------------

    async def _version(self, _channel: Channel, _params: Params) -> Params:
        return await self._ask("Browser.getVersion")

    async def _leave(self, _channel: Channel, _params: Params) -> Params:
        self._close()
        return {}

    async def _keep_downloads(self, channel: Channel, params: Params) -> Params:
        # Clients say it of every context, whether or not they want files: it changes nothing.
        self._named_context(channel, params)
        return {}

    async def _window(self, channel: Channel, params: Params) -> Params:
        tab = self._addressed_tab(channel, params)
        found = await self._ask("Browser.getWindowForTarget", {"targetId": tab.target_id})
        self._windows.add(found["windowId"])
        return found

    async def _window_bounds(self, _channel: Channel, params: Params) -> Params:
        self._check_window(params)
        return await self._ask("Browser.getWindowBounds", {"windowId": params["windowId"]})

    async def _set_window_bounds(self, _channel: Channel, params: Params) -> Params:
        self._check_window(params)
        return await self._ask("Browser.setWindowBounds", params)

    async def _set_contents_size(self, _channel: Channel, params: Params) -> Params:
        self._check_window(params)
        return await self._ask("Browser.setContentsSize", params)

    def _check_window(self, params: Params) -> None:
        own = self._targets.session.sessions.chromium.own_windows
        if not own or params.get("windowId") not in self._windows:
            raise OcdError("forbidden", "That window does not belong to a tab of this session")

    # --- cookies of a context ----------------------------------------------------------------

    def _named_context(self, channel: Channel, params: Params) -> Params:
        """Return the context that is named, else that of the channel's tab, as a parameter."""
        own = context_of(channel.tab) if channel.tab is not None else ""
        context_id = params.get("browserContextId") or own
        if not context_id:
            return {}
        if context_id not in self._targets.context_ids():
            raise _no_context()
        return {"browserContextId": context_id}

    async def _get_cookies(self, channel: Channel, params: Params) -> Params:
        context = self._named_context(channel, params)
        reply = await self._ask("Storage.getCookies", context)
        return visible_cookies(self._policy.allows, reply)

    async def _set_cookies(self, channel: Channel, params: Params) -> Params:
        context = self._named_context(channel, params)
        self._rules.check_stored_cookies(self._policy.check, params)
        return await self._ask("Storage.setCookies", {"cookies": params["cookies"], **context})

    async def _clear_cookies(self, channel: Channel, params: Params) -> Params:
        context = self._named_context(channel, params)
        if not self._policy.empty:
            raise OcdError(
                "forbidden", "This would also delete cookies of domains that the policy blocks",
                hint="Delete them one by one: Network.deleteCookies.",
            )  # fmt: skip
        return await self._ask("Storage.clearCookies", context)

    @property
    def _policy(self) -> DomainPolicy:
        return self._targets.session.sessions.chromium.guard.policy

    _HANDLERS: ClassVar[Mapping[str, Handler]] = {
        "Browser.close": _leave,
        "Browser.getVersion": _version,
        "Browser.getWindowBounds": _window_bounds,
        "Browser.getWindowForTarget": _window,
        "Browser.setContentsSize": _set_contents_size,
        "Browser.setDownloadBehavior": _keep_downloads,
        "Browser.setWindowBounds": _set_window_bounds,
        "Storage.clearCookies": _clear_cookies,
        "Storage.getCookies": _get_cookies,
        "Storage.setCookies": _set_cookies,
        "Target.activateTarget": _activate,
        "Target.attachToBrowserTarget": _attach_browser,
        "Target.attachToTarget": _attach,
        "Target.closeTarget": _close_target,
        "Target.createBrowserContext": _create_context,
        "Target.createTarget": _create,
        "Target.detachFromTarget": _detach,
        "Target.disposeBrowserContext": _dispose_context,
        "Target.getBrowserContexts": _list_contexts,
        "Target.getTargetInfo": _get_target_info,
        "Target.getTargets": _get_targets,
        "Target.setAutoAttach": _auto_attach,
        "Target.setDiscoverTargets": _discover,
    }


def not_allowed_error(method: str) -> OcdError:
    """Return the error for what a program may not call."""
    return OcdError(
        "forbidden", f"Not allowed for an attached program: {method}",
        hint="Commands that reach beyond the session's tabs are refused.", method=method,
    )  # fmt: skip


def _no_context() -> OcdError:
    return OcdError("not_found", "Failed to find browser context with given id")

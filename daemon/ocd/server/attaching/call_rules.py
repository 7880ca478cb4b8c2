"""Rules for a program's calls on a tab: URLs, files, cookies, data that is sent out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar

from msgspec import Raw

from ocd.api.errors import OcdError
from ocd.api.waiting import wait_for_event
from ocd.api.wire import Client
from ocd.browser.storage.cookies import host_url, owner
from ocd.browser.tabs.tab import Tab
from ocd.calls.action_policy import may_act
from ocd.calls.consent import denied_error, unanswered_error
from ocd.calls.services import CallServices
from ocd.oversight.approvals import AskingCall, ConsentNeededError, Grant
from ocd.oversight.leases import TabHeldError, lease_of
from ocd.safety.origins import origin_of
from ocd.safety.session_taint import ANY_SITE, Way, recipient
from ocd.server.attaching.messages import decode_object
from ocd.server.attaching.methods import ACTING, READING_TEXT

# How long a call waits for a person, as agents' calls do where they say nothing else.
WAIT_S = 30.0
CLIENT = "attached"
Params = dict[str, Any]

# What [[policy.action]] calls that which a domain's methods do.
_AS_VERB = {
    "Input": "interact", "Page": "navigate", "Network": "cookies", "DOM": "form_input",
    "Emulation": "emulate_device",
}  # fmt: skip


CheckParams = Callable[[Any, Tab, Params], Awaitable[Params]]


class CallRules:
    """The rules for the calls of one program. cwd: its folder, which it may name files of."""

    def __init__(self, services: CallServices, session: str, cwd: str) -> None:
        self._services = services
        self._session = session
        self._files = services.file_access(Client(kind=CLIENT, cwd=cwd))
        self._granted: set[Grant] = set()
        self._send = services.egress_policy.of_session(
            session, can_ask=False, granted=self._is_granted
        )

    def _is_granted(self, grant: Grant) -> bool:
        granted = grant in self._granted
        return granted or self._services.approvals.is_granted(self._session, grant)

    def may_send(self, way: Way, target: str) -> None:
        """Raise exfiltration_denied or consent_needed if data may not leave that way."""
        self._send(way, target)

    async def apply(self, tab: Tab, method: str, params: Raw) -> Raw | Params:
        """Return the parameters to pass on; raises OcdError for what is not allowed."""
        if method in READING_TEXT and (origin := origin_of(tab.url)):
            self._services.egress_policy.taints.of(self._session).read(origin)
        if method in ACTING:
            verb = _AS_VERB.get(method.partition(".")[0], "javascript_tool")
            self._check_action(verb, tab.url)
        rule = self._RULES.get(method)
        return params if rule is None else await rule(self, tab, decode_object(params))

    def _check_action(self, verb: str, url: str) -> None:
        if rules := self._services.policy().action:
            may_act(rules, self._session, self._is_granted)(verb, [origin_of(url)], acts=True)

    async def wait_free(self, tab: Tab) -> None:
        """Wait until no person holds the tab; human_in_control if it takes too long."""
        lease = lease_of(tab)
        if lease is not None and not await wait_for_event(lease.ended, WAIT_S):
            raise TabHeldError(lease)

    async def apply_with_consent(self, tab: Tab, method: str, params: Raw) -> Raw | Params:
        """As `apply`, after a person has allowed what needs it."""
        while True:
            try:
                return await self.apply(tab, method, params)
            except ConsentNeededError as needed:
                await self._obtain(needed, tab, method)
            finally:
                self._granted.clear()

    async def _obtain(self, needed: ConsentNeededError, tab: Tab, method: str) -> None:
        asker = AskingCall(
            session=self._session, verb=method, tab_id=tab.id, url=tab.url, digest=str(id(self))
        )
        approvals = self._services.approvals
        approval = approvals.ask(needed.question, asker)
        answer = approvals.take(approval) or await approvals.wait(approval, WAIT_S)
        if answer is None:
            raise unanswered_error(approval)
        if not answer.allowed:
            raise denied_error(approval, answer)
        self._granted.add(needed.question.grant)

    # --- addresses ---------------------------------------------------------------------------

    async def check_address(self, tab: Tab, params: Params) -> Params:
        """Check the address that is opened, and what it carries away."""
        await self.check_opening(tab.guard.check, _text(params, "url"))
        return params

    async def check_opening(self, check: Callable[[str], Awaitable[None]], url: str) -> None:
        """Raise if the address may not be opened. check: applies the domain policy."""
        await check(url)
        self._check_action("navigate", url)
        if to := recipient(url):
            self.may_send("address", to)

    async def _check_rewritten(self, tab: Tab, params: Params) -> Params:
        """Check the address and the content that a request is given."""
        if params.get("url") is not None:
            await self.check_address(tab, params)
        if params.get("headers") or params.get("postData"):
            self.may_send("request", ANY_SITE)
        return params

    async def _check_headers(self, _tab: Tab, params: Params) -> Params:
        self.may_send("request", ANY_SITE)
        return params

    async def _check_login(self, _tab: Tab, params: Params) -> Params:
        self.may_send("login", ANY_SITE)
        return params

    # --- files -------------------------------------------------------------------------------

    async def _check_files(self, tab: Tab, params: Params) -> Params:
        return {**params, "files": await self._readable(tab, params.get("files"))}

    async def _check_drag(self, tab: Tab, params: Params) -> Params:
        data = params.get("data")
        if not isinstance(data, dict) or not data.get("files"):
            return params
        return {**params, "data": {**data, "files": await self._readable(tab, data["files"])}}

    async def _readable(self, tab: Tab, names: object) -> list[str]:
        """Return the real paths of files that may be uploaded."""
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise OcdError("invalid_argument", "files: expected a list of paths")
        found = [await asyncio.to_thread(self._files.resolve_readable, name) for name in names]
        if found:
            self.may_send("upload", origin_of(tab.url) or tab.url)
        return found

    # --- cookies -----------------------------------------------------------------------------

    async def _check_asked_cookies(self, tab: Tab, params: Params) -> Params:
        for url in params.get("urls") or ():
            tab.guard.policy.check(str(url))
        return params

    async def _check_cookie(self, tab: Tab, params: Params) -> Params:
        self.check_cookie_place(tab.guard.policy.check, params)
        place = params.get("url")
        domain = params.get("domain")
        to = origin_of(place) if place and not domain else owner(domain, tab.url)
        self.may_send("state", to)
        return params

    async def _check_cookies(self, tab: Tab, params: Params) -> Params:
        for cookie in _cookie_list(params):
            await self._check_cookie(tab, cookie)
        return params

    async def _check_deleted_cookie(self, tab: Tab, params: Params) -> Params:
        self.check_cookie_place(tab.guard.policy.check, params)
        return params

    def check_cookie_place(self, check: Callable[[str], None], cookie: Params) -> None:
        """Check a cookie's domain and address by the domain policy."""
        if domain := cookie.get("domain"):
            check(host_url(str(domain)))
        if url := cookie.get("url"):
            check(str(url))

    def check_stored_cookies(self, check: Callable[[str], None], params: Params) -> None:
        """Check cookies that are put into a browser context."""
        for cookie in _cookie_list(params):
            self.check_cookie_place(check, cookie)
            domain = cookie.get("domain")
            place = host_url(str(domain)) if domain else str(cookie.get("url", ""))
            self.may_send("state", origin_of(place) or ANY_SITE)

    # --- what is never allowed ---------------------------------------------------------------

    async def _check_certificates(self, _tab: Tab, params: Params) -> Params:
        if params.get("ignore"):
            raise OcdError(
                "forbidden", "An attached program may not accept invalid certificates",
                hint="A person can allow it: ignore_certificate_errors in config.toml.",
            )  # fmt: skip
        return params

    async def _check_pauses(self, _tab: Tab, params: Params) -> Params:
        if not params.get("skip"):
            raise OcdError(
                "forbidden", "An attached program may not pause scripts: that would also stop a "
                "process that the session's agent uses",
            )  # fmt: skip
        return params

    _RULES: ClassVar[Mapping[str, CheckParams]] = {
        "Page.navigate": check_address,
        "Fetch.continueRequest": _check_rewritten,
        "Network.continueInterceptedRequest": _check_rewritten,
        "Network.setExtraHTTPHeaders": _check_headers,
        "Network.setUserAgentOverride": _check_headers,
        "Emulation.setUserAgentOverride": _check_headers,
        "Fetch.continueWithAuth": _check_login,
        "DOM.setFileInputFiles": _check_files,
        "Input.dispatchDragEvent": _check_drag,
        "Network.getCookies": _check_asked_cookies,
        "Network.setCookie": _check_cookie,
        "Network.setCookies": _check_cookies,
        "Network.deleteCookies": _check_deleted_cookie,
        "Security.setIgnoreCertificateErrors": _check_certificates,
        "Debugger.setSkipAllPauses": _check_pauses,
    }


def visible_cookies(allows: Callable[[str], bool], result: Params) -> Params:
    """Return an answer without the cookies of domains that the policy keeps back."""
    cookies = [cookie for cookie in result.get("cookies", ()) if allows(host_url(cookie["domain"]))]
    return {**result, "cookies": cookies}


def _cookie_list(params: Params) -> list[Params]:
    cookies = params.get("cookies")
    if not isinstance(cookies, list) or not all(isinstance(cooky, dict) for cooky in cookies):
        raise OcdError("invalid_argument", "cookies: expected a list of cookies")
    return cookies


def _text(params: Params, name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str):
        raise OcdError("invalid_argument", f"{name}: expected a string")
    return value

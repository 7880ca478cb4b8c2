"""Interception of a tab's requests by rules, and HTTP authentication.

It owns CDP's Fetch domain in a tab's sessions. In the browser's own session the request guard owns
it, and sees every request after this module, including URLs that a rule has substituted.
"""

import time
from collections import deque
from dataclasses import replace
from functools import partial
from typing import Any

from ocd.api.bounded_dict import BoundedDict
from ocd.browser.cdp.connection import CdpSession, Event, Result
from ocd.browser.network.http_auth import Credentials, HttpAuthChallenges
from ocd.browser.network.intercept_rules import InterceptRule
from ocd.browser.observe.request_views import display_url
from ocd.browser.tabs.tab import Tab
from ocd.safety.origins import origin_of
from ocd.safety.redact import redact

MAX_LOG = 500
_WAITING = 1000
_BLOCKED = {"errorReason": "BlockedByClient"}


class Interception:
    """Interception of one tab's requests, including its out-of-process frames and workers."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self.rules: list[InterceptRule] = []
        self.enabled = False
        self.challenges = HttpAuthChallenges()
        self.log: deque[dict[str, Any]] = deque(maxlen=MAX_LOG)
        self.logged = 0
        self._number = 0
        self._patching = BoundedDict[str, InterceptRule](_WAITING)
        self._listening: set[CdpSession] = set()
        tab.events.on("session", self._on_session)
        tab.events.on("worker", self._on_session)

    # Rules and credentials

    async def add(self, rule: InterceptRule) -> InterceptRule:
        """Append a rule, which is in force at once; return it with its id."""
        self._number += 1
        named = replace(rule, id=f"rule_{self._number}")
        self.rules.append(named)
        await self.switch(on=True)
        return named

    async def remove(self, rule_id: str) -> bool:
        """Remove a rule; return whether it existed."""
        remaining = [rule for rule in self.rules if rule.id != rule_id]
        existed = len(remaining) < len(self.rules)
        self.rules = remaining
        await self._apply()
        return existed

    async def switch(self, *, on: bool) -> None:
        """Enable or disable the rules, without removing them."""
        self.enabled = on
        await self._apply()

    async def authenticate(self, credentials: Credentials | None) -> None:
        """Answer challenges with these credentials from now on; None: with none."""
        self.challenges.credentials = credentials
        await self._apply()

    async def refuse_prompts(self) -> None:
        """Answer every challenge from now on, with no credentials if there are none for it."""
        self.challenges.answers_all = True
        await self._apply()

    def clear_log(self) -> int:
        """Clear the log; return how many entries it had."""
        count = len(self.log)
        self.log.clear()
        self.logged = 0
        return count

    # Chromium's events

    async def _apply(self) -> None:
        for session in self._tab.sessions:
            await self._enable(session)

    def _on_session(self, session: CdpSession) -> None:
        # Before its first request: the target is still paused.
        if self._patterns():
            _ = self._enable(session)

    def _patterns(self) -> list[str]:
        patterns = {rule.url_pattern for rule in self.rules} if self.enabled else set()
        patterns.update(self.challenges.patterns())
        return ["*"] if "*" in patterns else sorted(patterns)

    def _enable(self, session: CdpSession) -> Result:
        if session not in self._listening:
            self._listening.add(session)
            session.on("Fetch.requestPaused", partial(self._on_request_paused, session))
            session.on("Fetch.authRequired", partial(self._on_auth_required, session))
            session.on("disconnected", lambda: self._listening.discard(session))
        patterns = self._patterns()
        if not patterns:
            return session.send("Fetch.disable")
        asks = self.challenges.credentials is not None or self.challenges.answers_all
        listed = [{"urlPattern": pattern} for pattern in patterns]
        return session.send("Fetch.enable", {"patterns": listed, "handleAuthRequests": asks})

    def _on_auth_required(self, session: CdpSession, event: Event) -> None:
        answer = self.challenges.answer(event, origin_of(self._tab.url))
        params = {"requestId": event["requestId"], "authChallengeResponse": answer}
        session.send_nowait("Fetch.continueWithAuth", params)

    def _on_request_paused(self, session: CdpSession, event: Event) -> None:
        if "responseStatusCode" in event or "responseErrorReason" in event:
            self._on_response(session, event)
            return
        rule = self._decide(event)
        if rule is None:
            self._settle(session, event, "Fetch.continueRequest", {})
        elif rule.action == "block":
            self._settle(session, event, "Fetch.failRequest", _BLOCKED)
        elif rule.action == "mock" and rule.response is not None:
            self._settle(session, event, "Fetch.fulfillRequest", rule.response.mock())
        else:
            self._change(session, event, rule)

    def _decide(self, event: Event) -> InterceptRule | None:
        """Return the first rule that changes the request; log all matching ones up to it."""
        if not self.enabled:
            return None
        request, kind = event["request"], event.get("resourceType", "Other").lower()
        url = request["url"] + request.get("urlFragment", "")
        for rule in self.rules:
            if rule.matches(url, request["method"], kind):
                self._log_request(event, rule)
                if rule.action != "log":
                    return rule
        return None

    def _change(self, session: CdpSession, event: Event, rule: InterceptRule) -> None:
        params = rule.request.params(event["request"]) if rule.request else {}
        if "url" in params and not self._tab.guard.allows(params["url"]):
            self._settle(session, event, "Fetch.failRequest", _BLOCKED)
            return
        if rule.response is not None:
            params["interceptResponse"] = True
            self._patching[event["requestId"]] = rule
        self._settle(session, event, "Fetch.continueRequest", params)

    def _on_response(self, session: CdpSession, event: Event) -> None:
        rule = self._patching.pop(event["requestId"], None)
        redirects = 300 <= event.get("responseStatusCode", 0) < 400
        if rule is None or rule.response is None or redirects or "responseErrorReason" in event:
            self._settle(session, event, "Fetch.continueRequest", {})
            return
        method, params = rule.response.patch(event)
        self._settle(session, event, method, params)

    def _settle(
        self, session: CdpSession, event: Event, method: str, params: dict[str, Any]
    ) -> None:
        number = {"requestId": event["requestId"]}
        answer = session.send(method, number | params)

        def ended(reply: Result) -> None:
            # A request that Chromium refuses to continue with these changes would hang forever.
            error = None if reply.cancelled() else reply.exception()
            if error is not None and not self._tab.closed:
                self._fail(session, event, str(error))

        if params:
            answer.add_done_callback(ended)

    def _fail(self, session: CdpSession, event: Event, why: str) -> None:
        session.send_nowait(
            "Fetch.failRequest", {"requestId": event["requestId"], "errorReason": "Failed"}
        )
        for entry in reversed(self.log):
            if entry["request_id"] == event["requestId"]:
                entry["error"] = why
                return

    def _log_request(self, event: Event, rule: InterceptRule) -> None:
        request = event["request"]
        self.logged += 1
        self.log.append(
            {
                "request_id": event["requestId"],
                "url": display_url(request["url"]),
                "method": request["method"],
                "resource_type": event.get("resourceType", "Other").lower(),
                "headers": redact(request["headers"]),
                "timestamp": round(time.time() * 1000),
                "matched": True,
                "rule_id": rule.id,
                "action": rule.action,
            }
        )


def inherit(tab: Tab, opener: Tab) -> None:
    """Give a tab that has not started its opener's credentials; rules are not inherited."""
    interception = opener.state(Interception)
    credentials = interception.challenges.credentials if interception is not None else None
    # Credentials without an origin are bound to the opener's, not to any page that it opens.
    origin = origin_of(opener.url)
    if credentials is not None and (credentials.origins or origin):
        bound = replace(credentials, origins=credentials.origins or [origin])
        interception_of(tab).challenges.credentials = bound


def interception_of(tab: Tab) -> Interception:
    """Return the tab's interception."""
    return tab.state(Interception) or tab.set_state(Interception(tab))

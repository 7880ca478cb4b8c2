"""The verb that intercepts a tab's requests by rules: request_intercept."""

import base64
import binascii
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta, Struct
from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.network.intercept_rules import InterceptRule, RequestChange, ResponseChange, kinds
from ocd.browser.network.interception import MAX_LOG, Interception, interception_of
from ocd.browser.observe.text_patterns import text_test
from ocd.browser.tabs.tab import Tab
from ocd.safety.domain_policy import parse_url_argument
from ocd.safety.origins import origin_of_argument
from ocd.safety.session_taint import Egress, recipient
from ocd.verb_api.declaration import PAYLOAD, UNLISTED, Output, Params, Sending, tab_verb

_HeaderChanges = dict[str, str | None]


class RequestPart(Struct, forbid_unknown_fields=True):
    """Changes to the request."""

    url: Annotated[str | None, Meta(description="New URL")] = None
    method: Annotated[str | None, Meta(description="HTTP method")] = None
    headers: Annotated[_HeaderChanges | None, Meta(description="Set; null removes")] = None
    body: Annotated[str | None, Meta(description="Request body")] = None


class ResponsePart(Struct, forbid_unknown_fields=True):
    """The response, or changes to it."""

    status: Annotated[
        Annotated[int, Meta(ge=200, le=599)] | None, Meta(description="HTTP status")
    ] = None
    headers: Annotated[_HeaderChanges | None, Meta(description="Set; null removes")] = None
    body: Annotated[str | None, Meta(description="Body as text")] = None
    body_base64: Annotated[str | None, Meta(description="Body as base64")] = None


class ModifyOptions(Struct, forbid_unknown_fields=True):
    """The short form: status or body without url and method is a mock response."""

    status: Annotated[
        Annotated[int, Meta(ge=200, le=599)] | None, Meta(description="HTTP status")
    ] = None
    headers: Annotated[_HeaderChanges | None, Meta(description="Headers")] = None
    body: Annotated[str | None, Meta(description="Body")] = None
    url: Annotated[str | None, Meta(description="New URL")] = None
    method: Annotated[str | None, Meta(description="HTTP method")] = None


class RuleSpec(Struct, forbid_unknown_fields=True):
    """One rule."""

    pattern: Annotated[
        str, Meta(min_length=1, description="Substring of the URL, glob or /regular expression/")
    ]
    action: Annotated[
        Literal["log", "block", "modify", "mock", "fulfil", "fulfill"],
        Meta(description="mock: respond without the server. modify: request, response or both"),
    ]
    resource_types: Annotated[
        list[str], Meta(description="xhr, image, script, …; default: all")
    ] = []
    methods: Annotated[list[str], Meta(description="HTTP methods; default: all")] = []
    request: Annotated[RequestPart | None, Meta(description="modify: changes to the request")] = (
        None
    )
    response: Annotated[
        ResponsePart | None, Meta(description="mock: the response. modify: changes to the server's")
    ] = None
    modify_options: Annotated[
        ModifyOptions | None,
        Meta(
            description="Short form of both; status or body without url and method: mock",
            extra_json_schema=UNLISTED,
        ),
    ] = None


class RequestIntercept(Params):
    """Log, block, modify or mock a tab's requests by rules

    The first matching rule that does more than log decides. Adding a rule activates it. Rules last
    until they are removed or the tab is closed. Logs mask credentials.
    """

    action: Annotated[
        Literal[
            "enable", "disable", "add_rule", "remove_rule", "list_rules", "list", "get_logs",
            "clear_logs", "clear",
        ],
        Meta(description="clear: same as clear_logs"),
    ]  # fmt: skip
    rule: Annotated[RuleSpec | None, Meta(description="add_rule: the rule")] = None
    body: Annotated[
        str | None,
        Meta(
            description="add_rule: body of the response (or of rule.request)",
            extra=PAYLOAD,
        ),
    ] = None
    rule_id: Annotated[str | None, Meta(description="remove_rule: its id")] = None
    limit: Annotated[int, Meta(ge=1, le=MAX_LOG, description="get_logs: newest N")] = 100


_ADDRESS = re.compile(r"(?:https?:)?//[^\s\"'<>,;]{1,8000}", re.IGNORECASE)


def _egress(params: RequestIntercept, _tab_url: str) -> Iterator[Egress]:
    """Yield where a rule sends data: in requests, and by what pages do with its response."""
    if params.action != "add_rule" or params.rule is None:
        return
    spec = _with_body(params.rule, params.body)
    fitting = f"every URL that matches {spec.pattern[:200]}"
    for sent in _sent(spec):
        if sent.url:  # what the page sends elsewhere goes there, whatever the rule adds to it
            yield "request", origin_of_argument(sent.url) or sent.url
        elif sent.headers or sent.body:
            yield "request", fitting
    for got in (spec.response, spec.modify_options):
        if got is not None:
            yield from _response_egress(got.headers or {}, fitting)


def _response_egress(headers: _HeaderChanges, fitting: str) -> Iterator[Egress]:
    for name, value in headers.items():
        if name.lower() == "set-cookie":
            yield "state", fitting
        for found in _ADDRESS.findall(value or ""):
            if to := recipient(found):
                yield "address", to


def _sent(spec: RuleSpec) -> Iterator[RequestPart | ModifyOptions]:
    if spec.request is not None:
        yield spec.request
    if spec.modify_options is not None and not _is_answer(spec):
        yield spec.modify_options


class RequestInterceptResult(TypedDict):
    """The rules, or their log."""

    action: str
    tab_id: str
    status: NotRequired[str]
    enabled: NotRequired[bool]
    rule: NotRequired[dict[str, Any]]
    rules: NotRequired[list[dict[str, Any]]]
    rules_count: NotRequired[int]
    total_rules: NotRequired[int]
    count: NotRequired[int]
    removed_id: NotRequired[str]
    remaining_rules: NotRequired[int]
    api_logs: NotRequired[list[dict[str, Any]]]
    failed_logs: NotRequired[list[dict[str, Any]]]
    asset_groups: NotRequired[list[dict[str, Any]]]
    summary: NotRequired[dict[str, int]]
    stats: NotRequired[dict[str, int]]
    headers_stripped: NotRequired[str]
    cleared_count: NotRequired[int]


@tab_verb(
    "request_intercept", RequestIntercept,
    returns=RequestInterceptResult,
    capability="core", tier=3, leaves_dialog=True,
    page_keys=("url", "urls", "headers"), sends=Sending(("rule", "body"), _egress),
    example={"action": "add_rule", "rule": {"pattern": "*.png", "action": "block"}},
)  # fmt: skip
async def request_intercept(tab: Tab, params: RequestIntercept) -> Output:
    rules = interception_of(tab)
    result: dict[str, Any] = {"action": params.action, "tab_id": tab.id}
    match params.action:
        case "enable" | "disable":
            await rules.switch(on=params.action == "enable")
            result |= {"status": f"{params.action}d", "rules_count": len(rules.rules)}
        case "add_rule":
            added = await rules.add(_rule(tab, params))
            result |= {"rule": added.to_dict(), "total_rules": len(rules.rules)}
        case "remove_rule":
            result |= await _remove_rules(rules, params)
        case "list_rules" | "list":
            listed = [rule.to_dict() for rule in rules.rules]
            result |= {"enabled": rules.enabled, "rules": listed, "count": len(listed)}
        case "get_logs":
            result |= _logs(rules, params.limit)
        case _:
            result |= {"cleared_count": rules.clear_log()}
    return Output(data=result, origin=tab.url)


async def _remove_rules(rules: Interception, params: RequestIntercept) -> dict[str, Any]:
    if not params.rule_id:
        raise _missing("rule_id", params.action)
    found = await rules.remove(params.rule_id)
    if not found:
        raise OcdError(
            "not_found", f"There is no rule {params.rule_id}.",
            hint=f"List them: {tool_call('request_intercept', action='list_rules')}",
            rules=[rule.id for rule in rules.rules],
        )  # fmt: skip
    return {"removed_id": params.rule_id, "remaining_rules": len(rules.rules)}


def _missing(name: str, action: str) -> OcdError:
    text = f"request_intercept: {action} needs the parameter '{name}'"
    return OcdError("invalid_argument", text, parameter=name)


# --- rules -------------------------------------------------------------------------------------


def _rule(tab: Tab, params: RequestIntercept) -> InterceptRule:
    spec = params.rule
    if spec is None:
        raise _missing("rule", params.action)
    spec = _with_body(spec, params.body)
    matches = text_test(spec.pattern, "rule.pattern")
    request, response = _changes(tab, spec)
    action: Literal["log", "block", "modify", "mock"] = "mock"
    if spec.action in ("log", "block"):
        action = "log" if spec.action == "log" else "block"
    elif spec.action == "modify" and (spec.modify_options is None or not _is_answer(spec)):
        action = "modify"
        if request is None and response is None:
            raise OcdError(
                "invalid_argument", "request_intercept: this rule modifies nothing",
                hint="Pass rule.request, rule.response or rule.modify_options.", parameter="rule",
            )  # fmt: skip
    if action == "mock":
        request, response = None, response or ResponseChange()
    methods = frozenset(method.upper() for method in spec.methods)
    types = kinds(spec.resource_types)
    return InterceptRule("", spec.pattern, matches, action, types, methods, request, response)


def _with_body(spec: RuleSpec, body: str | None) -> RuleSpec:
    """Return the rule with the call's `body` as its body; invalid_argument for log and block."""
    if body is None:
        return spec
    if spec.action in ("log", "block"):
        raise OcdError(
            "invalid_argument", f"request_intercept: a rule with action {spec.action} has no body",
            parameter="body",
        )  # fmt: skip
    if spec.modify_options is not None:
        return replace(spec, modify_options=replace(spec.modify_options, body=body))
    if spec.request is not None and spec.response is None:
        return replace(spec, request=replace(spec.request, body=body))
    return replace(spec, response=replace(spec.response or ResponsePart(), body=body))


def _is_answer(spec: RuleSpec) -> bool:
    """Whether the short form means an answer given here rather than another request."""
    short = spec.modify_options
    if short is None or short.url is not None or short.method is not None:
        return False
    return short.status is not None or short.body is not None


def _changes(tab: Tab, spec: RuleSpec) -> tuple[RequestChange | None, ResponseChange | None]:
    short, sent, got = spec.modify_options, spec.request, spec.response
    if short is not None and (_is_answer(spec) or spec.action not in ("modify",)):
        got = got or ResponsePart(short.status, short.headers, short.body)
    elif short is not None:
        sent = sent or RequestPart(short.url, short.method, short.headers, short.body)
        if short.status is not None:
            got = got or ResponsePart(short.status)
    request = response = None
    if sent is not None:
        url = _check_url(tab, sent.url)
        body = None if sent.body is None else sent.body.encode()
        request = RequestChange(url, sent.method and sent.method.upper(), _headers(sent), body)
    if got is not None:
        response = ResponseChange(got.status, _headers(got), _body(got))
    return request, response


def _check_url(tab: Tab, url: str | None) -> str | None:
    if url is None:
        return None
    parsed = parse_url_argument(url)
    tab.guard.policy.check(parsed)
    return parsed


def _headers(part: RequestPart | ResponsePart) -> _HeaderChanges:
    for name, value in (part.headers or {}).items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or re.search(
            r"[\r\n\0]", value or ""
        ):
            raise OcdError(
                "invalid_argument", f"request_intercept: not a header: {name!r}",
                parameter="rule.headers",
            )  # fmt: skip
    return part.headers or {}


def _body(part: ResponsePart) -> bytes | None:
    if part.body_base64 is None:
        return None if part.body is None else part.body.encode()
    try:
        return base64.b64decode(part.body_base64, validate=True)
    except binascii.Error as error:
        raise OcdError(
            "invalid_argument", f"request_intercept: body_base64 is not valid base64: {error}",
            parameter="rule.response.body_base64",
        ) from None  # fmt: skip


# --- logs --------------------------------------------------------------------------------------

_ASSETS = ("image", "font", "stylesheet", "script", "media", "manifest", "texttrack")
_URLS_SHOWN = 10


def _logs(rules: Interception, limit: int) -> dict[str, Any]:
    latest = list(rules.log)[-limit:]
    failed = [entry for entry in latest if entry["action"] == "block" or "error" in entry]
    rest = [entry for entry in latest if entry not in failed]
    api = [entry for entry in rest if entry["resource_type"] not in _ASSETS]
    assets: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for entry in rest:
        if entry["resource_type"] in _ASSETS:
            domain = entry["url"].partition("://")[2].partition("/")[0]
            assets[domain, entry["resource_type"]].append(entry["url"])
    groups = [
        {"domain": domain, "type": kind, "count": len(urls), "urls": urls[:_URLS_SHOWN]}
        for (domain, kind), urls in assets.items()
    ]
    counts = {"api": len(api), "failed": len(failed), "assets": len(rest) - len(api)}
    stats = {
        "total": rules.logged,
        "returned": len(latest),
        "dropped": rules.logged - len(rules.log),
    }
    return {
        "api_logs": [_entry_to_dict(entry) for entry in api],
        "failed_logs": [_entry_to_dict(entry) for entry in failed],
        "asset_groups": groups, "summary": counts, "stats": stats,
        "headers_stripped": "credentials masked",
    }  # fmt: skip


def _entry_to_dict(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key != "request_id"}

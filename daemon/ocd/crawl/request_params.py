"""Parameters of crawls about their requests: start pages, headers, cookies, proxies, pace."""

import mimetypes
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.storage.cookies import owner
from ocd.crawl.request_options import (
    RequestOptions,
    Resources,
    origins_of,
    read_cookies,
    read_headers,
    read_proxies,
    read_user_agent,
)
from ocd.crawl.spec import MAX_CONCURRENCY, Engine, Formats, Keep, content_formats
from ocd.safety.domain_policy import parse_url_argument
from ocd.safety.origins import origin_of
from ocd.safety.session_taint import ANY_SITE, Egress, recipient
from ocd.verb_api.declaration import ADDRESSES, PAYLOAD, SECRET, SENDS_TO, UNLISTED, Params

_MAX_STARTS = 100_000
# File types that are start pages themselves.
_PAGE_FILES = ("text/html", "application/xhtml+xml")
_OF_OWN_BROWSER = ("headers", "user_agent", "proxy", "cookies")

StartUrl = Annotated[
    Annotated[str, Meta(min_length=1)] | None,
    Meta(description="Start URL: http, https or file", extra=SENDS_TO),
]
StartUrls = Annotated[
    list[str] | str,
    Meta(
        description="Start URLs in addition to url or instead of it; in a file, one per line",
        extra=PAYLOAD,
        extra_json_schema=UNLISTED | ADDRESSES,
    ),
]
Headers = Annotated[
    dict[str, str],
    Meta(
        description="Request headers, for the origins of the start pages only",
        extra=SECRET,
        extra_json_schema=UNLISTED,
    ),
]
UserAgent = Annotated[str, Meta(description="User agent", extra_json_schema=UNLISTED)]
Proxies = Annotated[
    str | list[str],
    Meta(
        description="HTTP proxy, http://[user:password@]host:port; several are used in turn",
        extra=SECRET,
        extra_json_schema=UNLISTED,
    ),
]
CookieList = Annotated[
    list[dict[str, Any]] | dict[str, Any],
    Meta(
        description="{name: value} for the start pages, a list of {name, value, domain?, path?, …},"
        " or what oc_context_export saved (its cookies)",
        extra={**PAYLOAD, **SECRET},
        extra_json_schema=UNLISTED,
    ),
]
ResourceChoice = Annotated[
    Resources,
    Meta(
        description="text: the browser loads no images, fonts or media",
        extra_json_schema=UNLISTED,
    ),
]


ShareLogin = Annotated[
    bool,
    Meta(description="Use the browser's cookies to fetch and render", extra_json_schema=UNLISTED),
]


Extract = Annotated[
    dict[str, Any] | None,
    Meta(
        description="JSON schema of what to extract from each page, as in extract_data; returned "
        "as extracted",
        extra=PAYLOAD,
        extra_json_schema=UNLISTED,
    ),
]


class PageAction(msgspec.Struct, forbid_unknown_fields=True):
    """One of wait_for, click and scroll."""

    wait_for: Annotated[str, Meta(description="Selector to wait for")] = ""
    click: Annotated[str, Meta(description="Selector to click, once it appears")] = ""
    scroll: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Scroll to the end, up to this many times while the page grows",
        ),
    ] = 0
    timeout_ms: Annotated[int, Meta(ge=1, le=600_000, description="Time limit")] = 10_000


Actions = Annotated[
    tuple[PageAction, ...],
    Meta(
        max_length=50,
        description="Browser steps on each page before reading it; engine auto then means browser",
        extra=PAYLOAD,
        extra_json_schema=UNLISTED,
    ),
]


InitScriptSource = Annotated[
    str,
    Meta(
        description="JavaScript to run in each page before its own; engine auto then means browser",
        extra=PAYLOAD,
        extra_json_schema=UNLISTED,
    ),
]


KeepChoice = Annotated[
    tuple[Keep, ...],
    Meta(
        description="raw: documents as their servers sent them, for oc_task_export to WARC. "
        "screenshot, pdf: a file of each page, named in its record and included by oc_task_export; "
        "engine auto then means browser",
        extra_json_schema=UNLISTED,
    ),
]


WebhookAddress = Annotated[
    str,
    Meta(
        max_length=2000,
        description="URL to send the task's meta to, by a signed POST, when the crawl has ended",
        extra_json_schema=UNLISTED,
    ),
]


AnyCertificate = Annotated[
    bool,
    Meta(
        description="Accept expired, self-signed and mismatched certificates, where the setting "
        "allow_certificate_errors is true",
        extra_json_schema=UNLISTED,
    ),
]
CompareTo = Annotated[
    str,
    Meta(
        description="Task of an earlier crawl: marks pages as new, changed, unchanged or gone; "
        "unchanged ones need not be transferred again",
        extra_json_schema=UNLISTED,
    ),
]
UsesCache = Annotated[
    bool,
    Meta(
        description="Reuse responses stored by earlier crawls, as far as their Cache-Control, "
        "Expires and validators allow; plain HTTP only",
        extra_json_schema=UNLISTED,
    ),
]
Durable = Annotated[
    bool | None,
    Meta(
        description="Resume automatically when the daemon starts again after being killed; "
        "default: the setting durable",
        extra_json_schema=UNLISTED,
    ),
]

Delay = Annotated[
    int,
    Meta(
        ge=0,
        le=600_000,
        description="Minimum time between two requests to one host, in ms",
        extra_json_schema=UNLISTED,
    ),
]
Concurrency = Annotated[
    Annotated[int, Meta(ge=1, le=MAX_CONCURRENCY)] | Literal["auto", "adaptive"],
    Meta(
        description="Pages loaded at once; adaptive: as many as each host handles without delays "
        "or errors",
        extra_json_schema=UNLISTED,
    ),
]
Retries = Annotated[
    int,
    Meta(
        ge=0,
        le=10,
        description="Retries after network errors, 429 and 5xx",
        extra_json_schema=UNLISTED,
    ),
]
PageTimeout = Annotated[
    int,
    Meta(
        ge=100,
        le=600_000,
        description="Time limit of one attempt at one page, in ms",
        extra_json_schema=UNLISTED,
    ),
]


ClusterChoice = Annotated[
    str,
    Meta(
        description="Read the pages on the workers of this cluster of config.toml",
        extra_json_schema=UNLISTED,
    ),
]


class RequestParams(Params, kw_only=True):
    """Parameters that crawl and crawl_sitemap share."""

    headers: Headers = msgspec.field(default_factory=dict)
    user_agent: UserAgent = ""
    proxy: Proxies = ""
    cookies: CookieList = msgspec.field(default_factory=dict)
    resources: ResourceChoice = "all"
    share_login: ShareLogin = False
    extract: Extract = None
    actions: Actions = ()
    init_script: InitScriptSource = ""
    keep: KeepChoice = ()
    webhook: WebhookAddress = ""
    durable: Durable = None
    cache: UsesCache = False
    compare_to: CompareTo = ""
    ignore_certificate_errors: AnyCertificate = False
    cluster: ClusterChoice = ""


def start_urls(verb: str, url: str | None, urls: str | Sequence[str] = ()) -> tuple[str, ...]:
    """Return the start pages, each once; `urls` may be a text, one per line (`#`: a comment).

    Raises:
        OcdError: invalid_url; invalid_argument for none, or too many.
    """
    texts = _split_list(verb, urls) if isinstance(urls, str) else urls
    lines = (line.strip() for text in texts for line in text.splitlines())
    starts = [url] if url else []
    starts += [line for line in lines if line and not line.startswith("#")]
    if not starts:
        message = f"{verb} needs a start page: 'url', or several as 'urls'"
        raise OcdError("invalid_argument", message, parameter="url")
    if len(starts) > _MAX_STARTS:
        message = f"{verb}: {len(starts)} start URLs in 'urls', {_MAX_STARTS} at most"
        raise OcdError("invalid_argument", message, parameter="urls")
    return tuple(dict.fromkeys(map(parse_url_argument, starts)))


def _split_list(verb: str, text: str) -> Sequence[str]:
    path = text.strip()
    if path.startswith("/") and _is_no_page(Path(path)):
        message = f"{verb}: urls expects URLs, not the path of a file with them: {path}"
        hint = f"To read them from the file, one per line: {tool_call(verb, urls_path=path)}"
        raise OcdError("invalid_argument", message, hint=hint, parameter="urls")
    if not text.lstrip().startswith("["):
        return [text]
    try:
        return msgspec.json.decode(text, type=list[str])
    except msgspec.MsgspecError as error:
        message = f"crawl: urls is not a list of URLs: {error}"
        raise OcdError("invalid_argument", message, parameter="urls") from None


def _is_no_page(path: Path) -> bool:
    try:
        return mimetypes.guess_type(path.name)[0] not in _PAGE_FILES and path.is_file()
    except OSError:  # too long for a file name
        return False


def request_options(params: RequestParams, starts: Sequence[str]) -> RequestOptions:
    """Return the options of all requests; invalid_argument for one that is not possible."""
    options = RequestOptions(
        headers=read_headers(params.headers),
        origins=origins_of(starts),
        user_agent=read_user_agent(params.user_agent),
        proxies=read_proxies(params.proxy) if params.proxy else (),
        cookies=read_cookies(params.cookies, starts) if params.cookies else (),
        resources=params.resources,
        any_certificate=params.ignore_certificate_errors,
    )
    own = [name for name in _OF_OWN_BROWSER if getattr(params, name)]
    own += ["keep"] if "raw" in params.keep else []
    if params.share_login and own:
        message = f"{own[0]} cannot be combined with share_login, which uses the browser as it is"
        raise OcdError("invalid_argument", message, parameter=own[0])
    return options


def check_requests(
    params: RequestParams, starts: Sequence[str], engine: Engine, formats: Formats
) -> None:
    """Raise invalid_argument for values and combinations that are not possible."""
    request_options(params, starts)
    extract_schema(params)
    page_actions(params.actions)
    page_engine(params, engine, formats)
    others = {
        "engine": engine == "browser", "share_login": params.share_login,
        "compare_to": bool(params.compare_to), "keep": "raw" in params.keep,
    }  # fmt: skip
    for name in (name for name, is_set in others.items() if params.cache and is_set):
        message = f"crawl: cache cannot be combined with {name}, which needs new responses"
        raise OcdError("invalid_argument", message, parameter="cache")
    if params.cluster and params.cache:
        message = (
            "crawl: cache cannot be combined with cluster: responses are stored on this machine"
        )
        raise OcdError("invalid_argument", message, parameter="cache")
    if params.webhook and not origin_of(params.webhook):
        message = "crawl: webhook must be a complete http or https URL"
        raise OcdError("invalid_argument", message, parameter="webhook")


def extract_schema(params: RequestParams) -> str:
    """Return the schema as JSON, "" without one; invalid_argument for one that cannot be read."""
    if params.extract is None:
        return ""
    from ocd.extraction.schema import read_schema  # few calls need the vocabulary

    read_schema(params.extract)
    return msgspec.json.encode(params.extract).decode()


def page_actions(actions: Sequence[PageAction]) -> tuple[dict[str, object], ...]:
    """Return the actions to perform on each page; invalid_argument for one that is not possible."""
    found = []
    for action in actions:
        values: dict[str, object] = {
            "wait_for": action.wait_for,
            "click": action.click,
            "scroll": action.scroll,
        }
        chosen = {name: value for name, value in values.items() if value}
        if len(chosen) != 1:
            message = "crawl: an action is one of wait_for, click and scroll"
            raise OcdError("invalid_argument", message, parameter="actions")
        found.append({**chosen, "timeout_ms": action.timeout_ms})
    return tuple(found)


def page_engine(params: RequestParams, engine: Engine, formats: Formats) -> Engine:
    """Return the engine that the parameters need; invalid_argument if static cannot do it."""
    _, tools = content_formats(formats)
    files = [kind for kind in params.keep if kind != "raw"]
    needs_browser = {
        "actions": params.actions, "init_script": params.init_script, "format": tools,
        "keep": files,
    }  # fmt: skip
    for name, is_set in needs_browser.items():
        if is_set:
            if engine == "static":
                what = {"format": "format tools", "keep": " and ".join(files)}.get(name, name)
                message = f"crawl: {what} needs the browser, not engine static"
                raise OcdError("invalid_argument", message, parameter=name)
            engine = "browser"
    return engine


def crawl_egress(params: RequestParams, starts: Sequence[str]) -> Iterator[Egress]:
    """Yield where the crawl sends the caller's own data, in URLs, requests and cookies."""
    for to in dict.fromkeys(map(recipient, starts)):
        if to:
            yield "address", to
    for origin in sorted(set(map(origin_of, starts))) if params.headers else ():
        yield "request", origin
    if params.user_agent:
        yield "request", ANY_SITE
    proxies = read_proxies(params.proxy) if params.proxy else ()
    for address in filter(None, (*proxies, params.webhook)):
        yield "request", origin_of(address)
    for cookie in read_cookies(params.cookies, starts) if params.cookies else ():
        for start in starts[:1]:
            yield "state", owner(cookie.domain, start)

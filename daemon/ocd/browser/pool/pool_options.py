"""Options of a pool's tabs: cookies, headers, proxy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolOptions:
    """Options of one pool's pages.

    Attributes:
        share_login: use the user's own browser context.
        headers: added to requests to `origins` alone.
        cookies: in CDP's form.
        proxies: `http://host:port` and "user:password", or ""; a context for each.
        text_only: do not load images, fonts and media.
        actions: performed on each page before it is read; each has one of wait_for, click
            (selectors) and scroll (times), and timeout_ms.
        init_script: runs in each document before the page's own scripts.
        tools: collect the tools that pages offer, too.
        keep: what to return besides the page: `raw`, `screenshot`, `pdf`.
        any_certificate: accept any TLS certificate.
    """

    share_login: bool = False
    user_agent: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    origins: frozenset[str] = frozenset()
    cookies: tuple[Mapping[str, Any], ...] = ()
    proxies: tuple[tuple[str, str], ...] = ()
    text_only: bool = False
    actions: tuple[Mapping[str, Any], ...] = ()
    init_script: str = ""
    tools: bool = False
    keep: frozenset[str] = frozenset()
    any_certificate: bool = False


DEFAULT_OPTIONS = PoolOptions()

"""Options of a pool's tabs: cookies, headers, proxy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolOptions:
    """Options of one pool's pages.

    share_login: in the user's own browser context. headers: added to requests to `origins` alone.
    cookies: in CDP's form. proxies: `http://host:port` and "user:password", or ""; a context each.
    text_only: pictures, fonts and media are not loaded. actions: what is done on each page before
    it is read, one of wait_for, click (selectors) and scroll (times) each, and timeout_ms.
    init_script: runs in each document before the page's own scripts. tools: those that pages offer
    are wanted, too. keep: `raw`, `screenshot`, `pdf`: what comes with each page besides.
    any_certificate: no server has to prove who it is.
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

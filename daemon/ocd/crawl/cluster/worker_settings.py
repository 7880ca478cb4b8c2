"""What a cluster's workers are told of a crawl."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ocd.crawl.cluster.clusters import Logins
from ocd.crawl.cluster.messages import WorkerSettings, encode, own_version
from ocd.crawl.request_options import read_cookies
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.urls import host_of
from ocd.ledger.task_handle import TaskHandle
from ocd.safety.domain_policy import DomainPolicy


def encode_settings(
    work: TaskHandle, spec: CrawlSpec, logins: Logins, policy: DomainPolicy, *, sanitize: bool,
    any_certificate: bool,
) -> bytes:  # fmt: skip
    """Return a crawl's settings, encoded for the workers."""
    settings = WorkerSettings(
        version=own_version(), crawl=work.task_id, logins=dict(logins),
        # Workers need nothing that concerns the crawl as a whole.
        spec=replace(
            spec, url="", more_urls=(), sitemap_url="", compare_to="", query="", webhook=""
        ),
        allow=policy.allow, block=policy.block, servers=policy.servers, sanitize=sanitize,
        any_certificate=any_certificate,
    )  # fmt: skip
    return encode(settings)


def with_cookies_of(spec: CrawlSpec, cookies: Sequence[Mapping[str, Any]]) -> CrawlSpec:
    """Return the crawl with those of the browser's cookies that its start pages get.

    This is what `share_login` means for workers, which have browsers of their own.
    """
    hosts = [host_of(url) for url in spec.starts]
    fitting = [
        cookie for cookie in cookies if any(_is_for(str(cookie["domain"]), host) for host in hosts)
    ]
    requests = replace(spec.requests, cookies=read_cookies(fitting, spec.starts))
    return replace(spec, share_login=False, requests=requests)


def _is_for(domain: str, host: str) -> bool:
    return host == domain.lstrip(".") or (domain.startswith(".") and host.endswith(domain))

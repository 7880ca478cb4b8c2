"""The configured clusters: which crawls may use them, and their state for `ocd status`."""

import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ocd.api.errors import OcdError, did_you_mean
from ocd.config.tables import Cluster
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.urls import without_login
from ocd.ledger.cancellation import job_group
from ocd.ledger.task_handle import TaskHandle

if TYPE_CHECKING:
    from ocd.crawl.cluster.cluster_reader import ClusterReader
    from ocd.crawl.cluster.connection import ClusterConnection
    from ocd.crawl.visits.page_reader import PageReader

# "user:password" by origin.
Logins = Mapping[str, str]


class Clusters:
    """The clusters of config.toml, and those that crawls use now. tables: changes with the file."""

    def __init__(self, tables: Mapping[str, Cluster]) -> None:
        self.tables = tables
        self._used: list[ClusterConnection] = []

    def check(self, spec: CrawlSpec, logins: Logins) -> Cluster:
        """Return the cluster that a crawl names; invalid_argument if the crawl may not use it."""
        cluster = self.tables.get(spec.cluster)
        if cluster is None:
            fallback = "Name one in config.toml: [cluster.NAME] with its address"
            hint = did_you_mean(spec.cluster, self.tables, fallback)
            message = f"There is no cluster {spec.cluster!r} in config.toml"
            raise OcdError("invalid_argument", message, hint=hint, parameter="cluster")
        if spec.adaptive:
            message = "concurrency=adaptive cannot be combined with a cluster"
            raise OcdError("invalid_argument", message, parameter="concurrency")
        carried = _carried_logins(spec, logins)
        if carried and not cluster.encrypted:
            message = f"{carried} would go to cluster {spec.cluster!r} unencrypted"
            hint = "Logins, headers and cookies are sent only to clusters at tls:// addresses."
            raise OcdError("invalid_argument", message, hint=hint, parameter="cluster")
        return cluster

    @asynccontextmanager
    async def open_reader(
        self, work: TaskHandle, spec: CrawlSpec, settings: Callable[[], bytes], local: "PageReader"
    ) -> AsyncIterator["PageReader"]:
        """Open the reader of a crawl's pages; raises disabled without the extra, cluster_lost."""
        from ocd.crawl.cluster.cluster_reader import ClusterReader
        from ocd.crawl.cluster.connection import ClusterConnection

        cluster = self.tables[spec.cluster]
        async with (
            ClusterConnection.open(spec.cluster, work.task_id, cluster) as connection,
            job_group() as start,
        ):
            reader = ClusterReader(connection, settings, start, local)
            connection.on_change = lambda: _on_change(work, connection, cluster, reader)
            _running = start(reader.run()), start(connection.watch())
            self._used.append(connection)
            try:
                yield reader
            finally:
                self._used.remove(connection)
                await connection.end()

    def describe(self) -> dict[str, Any]:
        """Return the clusters that crawls use now, by name."""
        return {connection.name: connection.describe() for connection in self._used}


def _on_change(
    work: TaskHandle, connection: "ClusterConnection", cluster: Cluster, reader: "ClusterReader"
) -> None:
    message = ""
    if connection.paused:
        until = datetime.fromtimestamp(time.time() + cluster.wait_s, UTC)
        message = (
            f"Cluster {connection.name!r} does not respond: "
            f"paused; giving up at {until:%H:%M:%S} UTC"
        )
    elif not connection.slots:
        message = f"Cluster {connection.name!r} has no workers"
    if message:
        work.progress(work.now.done, work.now.total, message)
    reader.send()


def _carried_logins(spec: CrawlSpec, logins: Logins) -> str:
    """Return a description of the secrets that the crawl carries; "" if there are none."""
    carried = {
        "The browser's cookies": spec.share_login,
        "The cookies": spec.requests.cookies,
        "The headers": spec.requests.headers,
        "The login of the URL": logins,
        "The login of the proxy": any(without_login(proxy)[1] for proxy in spec.requests.proxies),
    }
    return next((name for name, is_set in carried.items() if is_set), "")

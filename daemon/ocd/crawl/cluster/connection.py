"""The daemon's connection to one cluster, for one crawl."""

import asyncio
import importlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

from ocd.api.errors import OcdError
from ocd.config.tables import Cluster
from ocd.crawl.cluster.messages import MAX_BATCH, BatchAnswer, decode_answer
from ocd.crawl.cluster.remote import end_crawl, read_batch
from ocd.crawl.cluster.worker_rates import WorkerRates

if TYPE_CHECKING:
    from distributed import Client, Security

logger = logging.getLogger(__name__)

PIP = 'pip install "openchrome[cluster]"'
# Half of a full batch: the worker has a page at hand for each slot, and another one behind it.
_SLOTS_PER_BATCH = MAX_BATCH // 2
_CONNECT_S = 30.0
_LOOK_S = 1.0
_END_S = 10.0


class _OneLineHandler(logging.Handler):
    """What Dask logs, a line each: what the end of a connection means is said by us."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log it as ours."""
        words = record.getMessage().partition("\n")[0]
        if record.exc_info is not None and record.exc_info[1] is not None:
            words += f": {record.exc_info[1]!r}"
        logger.log(record.levelno, "%s: %s", record.name, words)


class WorkersDiedError(Exception):
    """So many workers have died while they read a batch that Dask gives it no further one."""


class ClusterConnection:
    """A cluster while a crawl uses it. `on_change` is called when slots or `paused` are new.

    workers: the slots of each by its address. paused: the scheduler does not answer; after
    `wait_s` of that it is given up.
    """

    def __init__(self, name: str, cluster: Cluster, client: "Client") -> None:
        self.name = name
        self.on_change: Callable[[], None] = lambda: None
        self.slots = 0
        self.paused = False
        self.rates = WorkerRates()
        self._cluster = cluster
        self._client = client
        self.workers: dict[str, int] = {}
        self._silent_since: float | None = None

    @classmethod
    @asynccontextmanager
    async def open(cls, name: str, cluster: Cluster) -> AsyncIterator[Self]:
        """Connect to the scheduler; raises disabled without the extra, cluster_lost."""
        client = await _connect(name, cluster)
        try:
            yield cls(name, cluster, client)
        finally:
            await _close(client)

    @property
    def places(self) -> int:
        """How many batches are sent at a time: two for each worker, more for one of many slots."""
        return sum(max(2, -(-slots // _SLOTS_PER_BATCH)) for slots in self.workers.values()) or 1

    async def run(self, settings: bytes, pages: bytes, near: str) -> BatchAnswer:
        """Return a worker's answer; a batch that is lost with its worker goes to another one.

        near: the worker that it goes to if that lives. Raises cluster_lost, WorkersDiedError.
        """
        from distributed import CancelledError, KilledWorker
        from distributed.comm.core import CommClosedError

        while self._client.status not in ("closed", "closing"):
            future = self._client.submit(
                read_batch, settings, pages, pure=False,
                workers=[near] if near else None, allow_other_workers=bool(near),
            )  # fmt: skip
            try:
                answer = decode_answer(await future)
            except (CancelledError, CommClosedError):
                continue  # the connection was lost: it is asked for again when there is another one
            except KilledWorker as error:
                raise WorkersDiedError from error
            except ImportError as error:
                raise self._unfit(f"a worker cannot import it: {error}") from error
            if answer.refused:
                raise self._unfit(f"{answer.worker} cannot: {answer.refused}")
            return answer
        raise self.lost_error()

    def lost_error(self) -> OcdError:
        """Return the error of a crawl whose scheduler did not come back."""
        return _lost(
            self.name, f"has not answered for {self._cluster.wait_s:g} s ({self._cluster.address})"
        )

    def _unfit(self, why: str) -> OcdError:
        message = f"Cluster {self.name!r} cannot run openchrome: {why}"
        hint = f"Install the daemon's version there: {PIP}"
        return OcdError("cluster_lost", message, hint=hint, cluster=self.name)

    async def end(self, crawl: str) -> None:
        """End what the workers hold of a crawl."""
        if self._client.status != "running":
            return
        try:
            async with asyncio.timeout(_END_S):
                await self._client.cancel(list(self._client.futures))
                await self._client.run(end_crawl, crawl, on_error="ignore")
        except (OSError, TimeoutError) as error:
            logger.warning("cluster %s: the crawl's end was not heard: %s", self.name, error)

    async def watch(self) -> None:
        """Keep slots and state current; raises cluster_lost once the cluster is given up."""
        while True:
            await self._look()
            await asyncio.sleep(_LOOK_S)

    async def _look(self) -> None:
        """Look at the cluster; give it up if it has been silent for too long."""
        now = asyncio.get_running_loop().time()
        workers = await self._workers_now()
        if workers is None:
            self._silent_since = now if self._silent_since is None else self._silent_since
            if now - self._silent_since >= self._cluster.wait_s:
                raise self.lost_error()
        else:
            self._silent_since = None
        paused = workers is None
        if (workers, paused) != (self.workers, self.paused):
            self.paused = paused
            self.set_workers(workers or {})
            self.on_change()

    def set_workers(self, slots: dict[str, int]) -> None:
        """Note the slots of each worker there is."""
        self.workers = slots
        self.slots = sum(slots.values())

    async def _workers_now(self) -> dict[str, int] | None:
        """Return the slots of each worker; None if the scheduler does not answer."""
        scheduler: Any = self._client.scheduler
        if self._client.status != "running" or scheduler is None:
            return None
        try:
            async with asyncio.timeout(_CONNECT_S):
                found = await scheduler.identity(n_workers=-1)
        except (OSError, RuntimeError):
            return None
        return {address: worker["nthreads"] for address, worker in found["workers"].items()}

    def describe(self) -> dict[str, Any]:
        """Return what the status says of it."""
        rates = self.rates.measure()
        return {
            "address": self._cluster.address,
            "state": "paused" if self.paused else "connected",
            "slots": self.slots,
            "workers": {
                address: {"slots": slots, "pages_per_second": rates.get(address, 0.0)}
                for address, slots in self.workers.items()
            },
        }


async def _connect(name: str, cluster: Cluster) -> "Client":
    try:
        # A second of imports, which other calls do not wait for.
        distributed = await asyncio.to_thread(_import_dask)
    except ImportError as error:
        message = f"cluster={name!r} needs the extra 'cluster', which is not installed: {error}"
        raise OcdError("disabled", message, hint=f"Install it: {PIP}") from None
    client: Client = distributed.Client(
        cluster.address, asynchronous=True, set_as_default=False, name="openchrome",
        security=_security(distributed, cluster), timeout=cluster.wait_s + _CONNECT_S,
    )  # fmt: skip
    try:
        async with asyncio.timeout(_CONNECT_S):
            await client
    except (OSError, TimeoutError) as error:
        await _close(client)
        raise _lost(name, f"cannot be reached ({cluster.address}): {error}") from error
    return client


async def _close(client: "Client") -> None:
    closing: Any = client.close(timeout=_END_S)  # to be awaited, which its type does not say
    try:
        await closing
    except Exception:  # of its connection, which has ended; the crawl's own outcome counts
        logger.exception("closing the connection to %s failed", client)


def _import_dask() -> ModuleType:
    distributed = importlib.import_module("distributed")
    # It has handlers of its own, which would write to the terminal.
    for name in ("distributed", "tornado.application"):
        log = logging.getLogger(name)
        log.handlers[:] = [_OneLineHandler()]
        log.propagate = False
    return distributed


def _security(distributed: ModuleType, cluster: Cluster) -> "Security | None":
    if not cluster.encrypted:
        return None
    given = {
        "tls_ca_file": cluster.tls_ca_file,
        "tls_client_cert": cluster.tls_cert,
        "tls_client_key": cluster.tls_key,
    }
    files = {name: str(path) for name, path in given.items() if path is not None}
    security: Security = distributed.Security(require_encryption=True, **files)
    return security


def _lost(name: str, why: str) -> OcdError:
    hint = "Once its scheduler runs, go on: `oc_task_resume`"
    return OcdError("cluster_lost", f"Cluster {name!r} {why}", hint=hint, cluster=name)

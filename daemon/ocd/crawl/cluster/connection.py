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
from ocd.crawl.cluster.remote import end_crawl, hold_crawl, read_batch
from ocd.crawl.cluster.worker_rates import WorkerRates

if TYPE_CHECKING:
    from distributed import Client, Future, Security

logger = logging.getLogger(__name__)

PIP = 'pip install "openchrome[cluster]"'
# Half of a full batch, so that each slot has a page in hand and another one waiting.
_SLOTS_PER_BATCH = MAX_BATCH // 2
_CONNECT_S = 30.0
_LOOK_S = 1.0
_END_S = 10.0


class _OneLineHandler(logging.Handler):
    """Logs each of Dask's messages as one line; what a lost connection means is logged by us."""

    def emit(self, record: logging.LogRecord) -> None:
        """Log the record as a message of ours."""
        words = record.getMessage().partition("\n")[0]
        if record.exc_info is not None and record.exc_info[1] is not None:
            words += f": {record.exc_info[1]!r}"
        logger.log(record.levelno, "%s: %s", record.name, words)


class WorkerGoneError(Exception):
    """A batch was not answered. died: because its worker has gone, otherwise the scheduler has."""

    def __init__(self, *, died: bool) -> None:
        super().__init__(died)
        self.died = died


class ClusterConnection:
    """A cluster while a crawl uses it. `on_change` is called when slots or `paused` change.

    Attributes:
        workers: the number of slots of each worker, by its address.
        paused: the scheduler does not answer; after `wait_s` of that the cluster is given up.
    """

    def __init__(self, name: str, crawl: str, cluster: Cluster, client: "Client") -> None:
        self.name = name
        self._crawl = crawl
        self.on_change: Callable[[], None] = lambda: None
        self.slots = 0
        self.paused = False
        self.rates = WorkerRates()
        self._cluster = cluster
        self._client = client
        self.workers: dict[str, int] = {}
        self._reading: dict[str, set[asyncio.Timeout]] = {}  # the requests in flight, by worker
        self._holds: dict[str, Future[Any]] = {}
        self._silent_since: float | None = None

    @classmethod
    @asynccontextmanager
    async def open(cls, name: str, crawl: str, cluster: Cluster) -> AsyncIterator[Self]:
        """Connect to the scheduler; raises disabled without the extra, cluster_lost."""
        client = await _connect(name, cluster)
        try:
            yield cls(name, crawl, cluster, client)
        finally:
            await _close(client)

    @property
    def max_batches(self) -> int:
        """How many batches may be in flight: two per worker, more for a worker with many slots."""
        return sum(max(2, -(-slots // _SLOTS_PER_BATCH)) for slots in self.workers.values())

    async def run(self, settings: bytes, pages: bytes, worker: str) -> BatchAnswer:
        """Return a worker's answer.

        Raises WorkerGoneError if the worker has ended or its pages were taken from it; cluster_lost
        if the cluster has, or its workers cannot run this version; and the worker's own error.

        The request goes through the scheduler, but not as a Dask task: which worker reads what is
        decided here, and a task costs daemon, scheduler and worker five times as much as a batch of
        small pages.
        """
        if self._client.status in ("closed", "closing"):
            raise self.lost_error()
        lives = asyncio.timeout(None)
        try:
            async with lives:
                self._reading.setdefault(worker, set()).add(lives)
                found = await self._ask(settings, pages, worker)
        except TimeoutError:  # set_workers has ended it
            raise WorkerGoneError(died=not self.paused) from None
        finally:
            self._reading.get(worker, set()).discard(lives)
        if found is None:
            raise WorkerGoneError(died=False)
        if isinstance(found, ImportError):
            raise self._unsuitable_error(f"a worker cannot import it: {found}") from found
        if isinstance(found, OSError):  # of the scheduler's connection to the worker
            self.set_workers({one: slots for one, slots in self.workers.items() if one != worker})
            raise WorkerGoneError(died=True) from found
        if isinstance(found, Exception):
            raise found
        answer = decode_answer(found)
        if answer.refused:
            raise self._unsuitable_error(f"{answer.worker} cannot: {answer.refused}")
        return answer

    async def _ask(self, settings: bytes, pages: bytes, worker: str) -> bytes | Exception | None:
        """Return an encoded BatchAnswer, the worker's error, or None without a scheduler."""
        if self._is_connected:
            try:
                found: dict[str, bytes | Exception] = await self._client.run(
                    read_batch, settings, pages, workers=[worker], on_error="return"
                )
            except OSError as error:
                logger.info("cluster %s: %s", self.name, error)
            else:
                return found[worker]
        self._forget_workers()
        return None

    @property
    def _is_connected(self) -> bool:
        return self._client.status == "running" and self._client.scheduler is not None

    def _forget_workers(self) -> None:
        """Send nothing until the scheduler answers again."""
        self.paused = True
        self.set_workers({})
        self.on_change()

    def lost_error(self) -> OcdError:
        """Return the error of a crawl whose scheduler did not come back."""
        return _cluster_lost_error(
            self.name, f"has not answered for {self._cluster.wait_s:g} s ({self._cluster.address})"
        )

    def _unsuitable_error(self, why: str) -> OcdError:
        message = f"Cluster {self.name!r} cannot run openchrome: {why}"
        hint = f"Install the daemon's version there: {PIP}"
        return OcdError("cluster_lost", message, hint=hint, cluster=self.name)

    async def end(self) -> None:
        """End what the workers hold for the crawl."""
        if self._client.status != "running":
            return
        try:
            async with asyncio.timeout(_END_S):
                await self._client.cancel(list(self._holds.values()))
                await self._client.run(end_crawl, self._crawl, on_error="ignore")
        except (OSError, TimeoutError) as error:
            logger.warning("cluster %s: the crawl's end was not heard: %s", self.name, error)

    async def watch(self) -> None:
        """Keep slots and state current; raises cluster_lost once the cluster is given up."""
        while True:
            await self._check_workers()
            await asyncio.sleep(_LOOK_S)

    async def _check_workers(self) -> None:
        """Query the workers; give the cluster up if it has not answered for too long."""
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
            self._hold_workers()
            self.on_change()

    def set_workers(self, slots: dict[str, int]) -> None:
        """Record the slots of each worker; pages that missing workers were reading are lost."""
        self.workers = slots
        self.slots = sum(slots.values())
        for gone in self._reading.keys() - slots.keys():
            for lives in self._reading.pop(gone):
                lives.reschedule(asyncio.get_running_loop().time())

    def _hold_workers(self) -> None:
        """Run a task on each worker, without which Dask's autoscaling would end it as idle."""
        for gone in self._holds.keys() - self.workers.keys():
            self._holds.pop(gone).release()
        for worker in self.workers.keys() - self._holds.keys():
            self._holds[worker] = self._client.submit(
                hold_crawl, self._crawl, pure=False, workers=[worker]
            )

    async def _workers_now(self) -> dict[str, int] | None:
        """Return the slots of each worker; None if the scheduler does not answer."""
        scheduler: Any = self._client.scheduler
        if not self._is_connected:
            return None
        try:
            async with asyncio.timeout(_CONNECT_S):
                found = await scheduler.identity(n_workers=-1)
        except (OSError, RuntimeError):
            return None
        return {address: worker["nthreads"] for address, worker in found["workers"].items()}

    def describe(self) -> dict[str, Any]:
        """Return what `ocd status` shows of it."""
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
        # A second of imports, in a thread so that other calls do not wait.
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
        raise _cluster_lost_error(
            name, f"cannot be reached ({cluster.address}): {error}"
        ) from error
    return client


async def _close(client: "Client") -> None:
    closing: Any = client.close(timeout=_END_S)  # to be awaited, which its type does not say
    try:
        await closing
    except Exception:  # errors of a connection that has ended; only the crawl's outcome counts
        logger.exception("closing the connection to %s failed", client)


def _import_dask() -> ModuleType:
    distributed = importlib.import_module("distributed")
    # Dask's logger has its own handlers, which would write to the terminal.
    for name in ("distributed", "tornado.application"):
        log = logging.getLogger(name)
        log.handlers[:] = [_OneLineHandler()]
        log.propagate = False
    return distributed


def _security(distributed: ModuleType, cluster: Cluster) -> "Security | None":
    if not cluster.encrypted:
        return None
    options = {
        "tls_ca_file": cluster.tls_ca_file,
        "tls_client_cert": cluster.tls_cert,
        "tls_client_key": cluster.tls_key,
    }
    files = {name: str(path) for name, path in options.items() if path is not None}
    security: Security = distributed.Security(require_encryption=True, **files)
    return security


def _cluster_lost_error(name: str, why: str) -> OcdError:
    hint = "Once its scheduler is running, resume: `oc_task_resume`"
    return OcdError("cluster_lost", f"Cluster {name!r} {why}", hint=hint, cluster=name)

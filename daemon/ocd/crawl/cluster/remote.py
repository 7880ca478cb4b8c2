"""The functions that workers run. The scheduler imports this module, too."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Worker


async def read_batch(settings: bytes, pages: bytes, dask_worker: "Worker") -> bytes:
    """Read a batch of pages: WorkerSettings, PageRequests and BatchAnswer, encoded."""
    from ocd.crawl.cluster.worker import plugin_of

    return await (await plugin_of(dask_worker)).read_batch(settings, pages)


async def hold_crawl(crawl: str) -> None:
    """Be a task while a crawl uses this worker."""
    from distributed import get_worker

    from ocd.crawl.cluster.worker import plugin_of

    await (await plugin_of(get_worker())).hold(crawl)


async def end_crawl(crawl: str, dask_worker: "Worker") -> None:
    """End what a worker holds of a crawl, and what it reads for it just now."""
    from ocd.crawl.cluster.worker import plugin_of

    await (await plugin_of(dask_worker)).end(crawl)

"""The functions that workers run. The scheduler imports this module, too."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Worker


async def read_batch(settings: bytes, pages: bytes, dask_worker: "Worker") -> bytes:
    """Read a batch of pages: WorkerSettings, PageRequests and BatchAnswer, encoded."""
    from ocd.crawl.cluster.worker import plugin_of

    return await (await plugin_of(dask_worker)).read_batch(settings, pages)


async def hold_crawl(crawl: str) -> None:
    """Occupy the worker as a Dask task while a crawl uses it."""
    from distributed import get_worker

    from ocd.crawl.cluster.worker import plugin_of

    await (await plugin_of(get_worker())).hold(crawl)


async def end_crawl(crawl: str, dask_worker: "Worker") -> None:
    """End what a worker holds for a crawl, including the pages that it is reading."""
    from ocd.crawl.cluster.worker import plugin_of

    await (await plugin_of(dask_worker)).end(crawl)

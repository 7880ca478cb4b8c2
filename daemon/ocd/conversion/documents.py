"""Where a tab's document is converted: on the loop, in a thread, or in a process."""

import asyncio

from ocd.api.errors import OcdError
from ocd.content.page_conversion import ConvertedPage, PageConversion, convert
from ocd.conversion.worker import Bounds, ConversionFailedError, ConversionWorker

# Characters of HTML whose conversion takes some milliseconds.
_LONG = 100_000
# Pages of a million elements take a tenth of the time and half of the memory.
_BOUNDS = Bounds(cpu_s=30.0, memory_bytes=2 << 30)
# What so many take at once is all that the machine has to give.
_PROCESSES = asyncio.Semaphore(2)


async def convert_document(job: PageConversion) -> ConvertedPage:
    """Return what `convert` returns; raise `conversion_failed` for a document too much for it."""
    if job.changes_nothing:
        return ConvertedPage(job.html)
    if job.is_costly:
        async with _PROCESSES:
            return await _convert_beside(job)
    return await asyncio.to_thread(convert, job) if len(job.html) > _LONG else convert(job)


async def _convert_beside(job: PageConversion) -> ConvertedPage:
    # Not kept for the next one: its start takes less than what it does.
    try:
        worker = await ConversionWorker.start(_BOUNDS)
    except OSError as error:
        raise _failed(f"no process could be started for it: {error.strerror}") from error
    try:
        return await worker.run(convert, job)
    except ConnectionResetError as error:
        why = str(error) if isinstance(error, ConversionFailedError) else "its process has ended"
        raise _failed(why) from error
    finally:
        worker.kill()


def _failed(why: str) -> OcdError:
    return OcdError(
        "conversion_failed",
        f"The page could not be converted: {why}.",
        hint="Call `read_page` for a part, with a selector or ref, or with mode='outline'.",
    )

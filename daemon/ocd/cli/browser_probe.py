"""A trial start of the browser: the last check of `ocd doctor`."""

import asyncio
import tempfile
import time
from pathlib import Path

from ocd.api.errors import OcdError
from ocd.browser.process.chromium import Chromium, ChromiumOptions
from ocd.browser.sessions.session import Sessions
from ocd.config.loader import Config
from ocd.safety.domain_policy import DomainPolicy

TIMEOUT_S = 45.0


def try_browser(config: Config) -> str:
    """Start the configured browser with a temporary profile, evaluate a script, and end it.

    Returns what happened, in words; raises the browser's errors, or `browser_failed` after 45 s.
    """
    found: list[OcdError] = []
    text = ""
    try:
        with tempfile.TemporaryDirectory(prefix="ocd-doctor-") as folder:
            text = asyncio.run(_try(config, Path(folder)))
    except* OcdError as group:
        found += _flatten(group)
    except* TimeoutError:
        found.append(OcdError("browser_failed", f"no answer within {TIMEOUT_S:g} s"))
    if found:
        raise found[0]
    return text


async def _try(config: Config, folder: Path) -> str:
    options = ChromiumOptions(
        profile=folder / "profile",
        run_dir=folder,
        log_dir=folder,
        browser_path=config.browser_path,
        extra_args=config.browser_args,
        policy=DomainPolicy(),
    )
    started = time.monotonic()
    async with asyncio.timeout(TIMEOUT_S), asyncio.TaskGroup() as group:
        chromium = Chromium(options, group.create_task)
        try:
            tab = await Sessions(chromium).get("doctor").new_tab()
            answer = await tab.evaluate("1 + 1")
        finally:
            await chromium.close()
    if answer != 2:
        raise OcdError("browser_failed", f"the browser evaluates 1 + 1 to {answer}")
    return f"started and answered in {time.monotonic() - started:.1f} s"


def _flatten(group: BaseExceptionGroup[OcdError]) -> list[OcdError]:
    found = []
    for error in group.exceptions:
        found += _flatten(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found

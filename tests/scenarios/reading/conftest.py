import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from ocd.browser.process.chromium import Chromium, ChromiumOptions
from ocd.browser.sessions.session import Sessions
from ocd.browser.tabs.tab import Tab
from ocd.safety.domain_policy import DomainPolicy
from support.daemon import Daemon, page_browser_options
from support.site import Site


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    with Site() as running:
        yield running


@pytest.fixture
def daemon(one_tab_daemon: Daemon) -> Daemon:
    """The shared daemon; its tab goes from test to test."""
    return one_tab_daemon


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Chromium]:
    folder: Path = tmp_path_factory.mktemp("chromium")
    (folder / "run").mkdir()
    options = ChromiumOptions(
        profile=folder / "profile", run_dir=folder / "run", policy=DomainPolicy(), idle_minutes=0,
        **page_browser_options(),
    )  # fmt: skip
    async with asyncio.TaskGroup() as group:
        part = Chromium(options, group.create_task)
        yield part
        await part.close()


@pytest_asyncio.fixture(loop_scope="module")
async def tab(chromium: Chromium) -> AsyncIterator[Tab]:
    session = Sessions(chromium).get("reading")
    opened = await session.new_tab()
    yield opened
    await session.close()

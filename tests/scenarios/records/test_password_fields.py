"""Where the fields are that a film covers."""

import asyncio
from pathlib import Path

import pytest

from ocd.browser.tabs.tab import Tab
from ocd.recording.film.password_fields import password_boxes
from support.browsing import browsing
from support.daemon import page_browser_options
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="function")
ROUNDS = 5  # one of which at least looks at the frame's empty document


async def look_until(tab: Tab, stop: asyncio.Event) -> None:
    while not stop.is_set():
        await password_boxes(tab)
        await asyncio.sleep(0)


async def test_fields_of_a_frame_that_was_looked_at_while_it_was_empty(
    tmp_path: Path, site: Site
) -> None:
    """The window of its empty document, which the script has seen, is that of the next one, too."""
    async with browsing(tmp_path, **page_browser_options()) as here:
        for _ in range(ROUNDS):
            tab, stop = await here.session.new_tab(), asyncio.Event()
            async with asyncio.TaskGroup() as group:
                group.create_task(look_until(tab, stop))
                await tab.navigate(site.url("records/film.html"))
                stop.set()
            assert len(await password_boxes(tab) or ()) == 5
            await tab.close()

"""Read the titles of several pages at once: several_tabs.py URL…"""

import asyncio
import sys

from openchrome import aconnect


async def main(urls: list[str]) -> None:
    """Open each page in a tab of its own, side by side."""
    async with aconnect(session="several-tabs") as browser:

        async def title(url: str) -> str:
            tab = await browser.tabs_create(url=url)
            try:
                found = await browser.javascript_tool("document.title", tab_id=tab["tab_id"])
                return str(found.value)
            finally:
                await browser.tabs_close(tab_id=tab["tab_id"])

        async with asyncio.TaskGroup() as group:
            titles = [group.create_task(title(url)) for url in urls]
        for url, found in zip(urls, titles, strict=True):
            print(url, found.result())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))

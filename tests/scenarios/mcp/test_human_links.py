"""oc_ask_human where the host can have a person open a link: elicitation in URL mode."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters

from support.daemon import SCRIPTS, Daemon
from support.mcp import error_of, json_of
from support.site import Site

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.usefixtures("headless_shell"),
]
LEGACY, NEWEST = "legacy", "auto"


@dataclass
class Host:
    """An agent's host whose person opens links, and does or declines what they are asked."""

    daemon: Daemon
    declines: bool = False
    asked: list[Any] = field(default_factory=list)
    completed: list[str] = field(default_factory=list)
    group: asyncio.TaskGroup = field(default_factory=asyncio.TaskGroup)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    async def on_elicitation(self, _context: object, params: Any) -> types.ElicitResult:  # noqa: ANN401 - the SDK's
        self.asked.append(params)
        if self.declines:
            return types.ElicitResult(action="decline")
        self.group.create_task(self._do(params.url))
        return types.ElicitResult(action="accept")

    async def _do(self, url: str) -> None:
        """Open the link in a browser of their own, type the code into the tab, say that is done."""
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as browser:
            async with browser.get(url) as entered:
                assert entered.status == 200
                tab = (await entered.text()).partition('content="0; url=')[2].partition('"')[0]
            session = tab.split("/")[2]
            await asyncio.to_thread(
                self.daemon.do, "form_input", session, query="Message", value="1234"
            )
            origin = url.partition("/enter")[0]
            async with browser.get(f"{origin}{tab}") as page:
                assert page.status == 200
            async with browser.get(f"{origin}/api/approvals") as waiting:
                (one,) = (await waiting.json())["approvals"]
                assert tab == f"/tab/{one['session']}/{one['tab_id']}"
            answer = f"{origin}/api/approval/{one['approval']}"
            headers = {"Origin": origin}
            async with browser.post(answer, json={"allow": True}, headers=headers) as said:
                assert said.status == 200
            async with browser.get(url) as again:
                assert again.status == 401

    async def on_message(self, message: object) -> None:
        if isinstance(message, types.ElicitCompleteNotification):
            self.completed.append(message.params.elicitation_id)
            self.done.set()

    @asynccontextmanager
    async def client(self, era: str) -> AsyncIterator[Client]:
        target = StdioServerParameters(
            command=str(SCRIPTS / "oc-mcp"), env=self.daemon.home.environ
        )
        async with self.group, Client(
            target, mode=era, elicitation_callback=self.on_elicitation,
            message_handler=self.on_message,
        ) as client:  # fmt: skip
            yield client


async def call(client: Client, name: str, **arguments: object) -> Any:  # noqa: ANN401 - any JSON
    result = await client.call_tool(name, arguments)
    return result.model_dump(by_alias=True, exclude_none=True, mode="json")


@pytest.mark.parametrize("era", [LEGACY, NEWEST])
async def test_the_host_opens_a_link_to_the_tab(
    share_daemon: Callable[..., Daemon], site: Site, era: str
) -> None:
    """The link works once and shows the tab; a person who declines ends the request, too."""
    host = Host(share_daemon("--dashboard", "0", config="sync_budget_s = 600\n"))
    async with host.client(era) as client:
        await call(client, "navigate", url=site.url("injection/form.html"))
        shown = await call(client, "oc_ask_human", reason="Type the code")
        assert "1234" in json_of(shown)["change"]
        assert json_of(shown)["by"] == "dashboard"
        (question,) = host.asked
        assert (question.mode, question.message) == ("url", "Type the code")
        if era == LEGACY:
            await host.done.wait()
            assert host.completed == [question.elicitation_id]
        host.declines = True
        refused = error_of(await call(client, "oc_ask_human", reason="Pay the bill"))
        assert (refused["code"], refused["by"]) == ("action_denied", "elicitation")
    assert [one.message for one in host.asked] == ["Type the code", "Pay the bill"]

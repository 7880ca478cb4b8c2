"""The protocol's Inspector, on the command line, over HTTP and through oc-mcp, in both eras."""

import json
from typing import Any

import pytest

from support import npm
from support.daemon import SCRIPTS, Daemon
from support.mcp import Http
from support.site import Site

# The first test may have to wait for npm.
pytestmark = pytest.mark.timeout(600)
OK, OTHER, TOOL_ERROR = 0, 1, 5


class Inspector:
    """Calls of `mcp-inspector --cli`, all of the same server; each is a connection of its own."""

    def __init__(self, daemon: Daemon, *target: str) -> None:
        self._daemon = daemon
        self._target = target

    def run(self, method: str, *args: str, expected: int = OK) -> Any:  # noqa: ANN401 - any JSON value
        """Return the `result` it prints."""
        done = npm.run(
            npm.INSPECTOR, "--cli", *self._target, "--method", method, *args, "--format", "json",
            environ=self._daemon.home.environ,
        )  # fmt: skip
        assert done.returncode == expected, (done.returncode, done.stdout[-2000:], done.stderr)
        return json.loads(done.stdout)["result"] if done.stdout.strip() else None

    def call(self, tool: str, expected: int = OK, /, **arguments: object) -> Any:  # noqa: ANN401 - any JSON value
        args = ("--tool-name", tool, "--tool-args-json", json.dumps(arguments))
        return self.run("tools/call", *args, expected=expected)


def inspector(serving: Daemon, transport: str, era: str) -> Inspector:
    """Return an Inspector whose calls share a session: one reads what another has opened."""
    flags = () if era == "legacy" else ("--protocol-era", "modern")
    if transport == "http":
        url = f"{Http(serving).url}?session=inspector"
        return Inspector(serving, url, "--transport", "http", *flags)
    # The Inspector hands its environment on only where it is told to.
    home = f"OPENCHROME_HOME={serving.home.path}"
    bridge = (str(SCRIPTS / "oc-mcp"), "--session=inspector", "--no-start")
    return Inspector(serving, *bridge, "-e", home, *flags)


@pytest.mark.parametrize("era", ["legacy", "modern"])
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_lists_and_calls_tools(
    serving: Daemon, site: Site, transport: str, era: str
) -> None:
    """Schemas pass its strict rules; a page is opened and stored, and the handle's link is read."""
    client = inspector(serving, transport, era)
    tools = client.run("tools/list", "--strict")["tools"]
    assert "navigate" in [tool["name"] for tool in tools]
    client.call("navigate", url=site.url("article.html"))
    stored = client.call("read_page", output_mode="handle")["content"]
    link = next(block for block in stored if block["type"] == "resource_link")
    read = client.run("resources/read", "--uri", link["uri"])["contents"]
    assert "Cape Ambler" in read[0]["text"]
    client.call("read_page", TOOL_ERROR, tab_id="t999")


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_the_inspector_lists_resources_and_prompts(serving: Daemon, era: str) -> None:
    client = inspector(serving, "http", era)
    resources = client.run("resources/list")["resources"]
    assert [one["uri"] for one in resources] == ["openchrome://guide", "openchrome://status"]
    templates = client.run("resources/templates/list")["resourceTemplates"]
    assert templates[0]["uriTemplate"].startswith("openchrome://output/{handle}")
    client.run("resources/read", "--uri", "openchrome://no", expected=OTHER)
    prompts = client.run("prompts/list")["prompts"]
    assert all(prompt["description"] for prompt in prompts)
    args = ("--prompt-name", "watch-task", "--prompt-args", "task_id=0123456789abcdef")
    asked = client.run("prompts/get", *args)
    assert "0123456789abcdef" in asked["messages"][0]["content"]["text"]

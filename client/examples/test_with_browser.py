"""A browser for tests: a fixture with a session of its own for each test; no plugin needed."""

from collections.abc import Iterator

import pytest

from openchrome import Client, connect


@pytest.fixture
def browser(request: pytest.FixtureRequest) -> Iterator[Client]:
    """The daemon's browser, in a session that ends with the test."""
    with connect(session=f"test-{request.node.name}") as client:
        yield client
        client.tabs_close(all=True)


def test_a_heading(browser: Client) -> None:
    """A page without a server."""
    browser.navigate("data:text/html,<h1>Hello</h1>")
    assert "Hello" in browser.read_page(mode="text").text

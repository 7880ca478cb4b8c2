"""When hash routes of a document are no longer requested."""

import pytest

from ocd.api.errors import OcdError
from ocd.crawl.frontier.frontier import FrontierEntry
from ocd.crawl.visits.hash_routes import MAX_FRUITLESS, HashRoutes
from ocd.crawl.visits.outcome import failure_record

APP = "http://x.org/app"
SAME = [f"#/{number}" for number in range(MAX_FRUITLESS)]
PLACES = [f"#/guide?id={number}" for number in range(MAX_FRUITLESS)]


@pytest.mark.parametrize(
    ("shown", "fruitless"),
    [
        ([("", "a"), *((one, "a") for one in SAME)], True),
        ([("", "a"), *((one, "a") for one in SAME[1:])], False),
        ([("", "a"), ("#/new", "b"), *((one, "a") for one in SAME)], False),
        ([("", "a"), *((one, "a") for one in PLACES)], False),
        ([(one, "a") for one in SAME], True),
    ],
)
def test_a_document_without_routes_is_given_up(
    shown: list[tuple[str, str]], fruitless: bool
) -> None:
    """It is given up after enough routes showed nothing new; places in one route are one."""
    routes = HashRoutes()
    for route, content in shown:
        entry = FrontierEntry(APP + route, 0)
        record = failure_record(entry, OcdError("timeout", ""), "browser")
        record.error, record.content_hash = None, content
        routes.note(record)
    assert routes.is_fruitless(f"{APP}#/next") is fruitless
    assert not routes.is_fruitless(APP)
    assert not routes.is_fruitless("http://x.org/other#/next")

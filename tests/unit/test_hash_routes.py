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


def _note(routes: HashRoutes, route: str, duplicate_of: str = "") -> None:
    record = failure_record(FrontierEntry(APP + route, 0), OcdError("timeout", ""), "browser")
    record.error, record.content_hash = None, route
    record.duplicate_of = f"{APP}{duplicate_of}" if duplicate_of else ""
    routes.note(record)


def test_places_in_known_pages_are_given_up() -> None:
    """Once five of them showed their page, nearly; of pages not known, one is still read."""
    routes = HashRoutes()
    _note(routes, "#/guide")
    for number in range(MAX_FRUITLESS):
        assert not routes.is_fruitless(f"{APP}#/guide?id=next")
        _note(routes, f"#/guide?id={number}", "#/guide")
    assert routes.is_fruitless(f"{APP}#/guide?id=next")
    for other in ("#/guide", "#/guide?page=2", "#/guide?id=1&page=2", "#/new?id=1"):
        assert not routes.is_fruitless(APP + other)
    _note(routes, "#/new?id=1")
    assert routes.is_fruitless(f"{APP}#/new?id=2")


def test_parameters_that_change_the_page_are_no_places() -> None:
    """Though some of their values show the same, such as lists without entries."""
    routes = HashRoutes()
    _note(routes, "#/list")
    for number in range(2 * MAX_FRUITLESS):
        _note(routes, f"#/list?page={number}")
        _note(routes, f"#/list?page=0{number}", "#/list")
    assert not routes.is_fruitless(f"{APP}#/list?page=next")

"""A schema for each page of a crawl: the values are those that extract_data finds in a tab."""

import json
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site

PRODUCT: dict[str, Any] = {
    "properties": {
        "name": {"type": "string"}, "price": {"type": "number"}, "currency": {"type": "string"},
        "ingredients": {"type": "array", "items": {"type": "string"}}, "isbn": {"type": "string"},
    }
}  # fmt: skip
CARDS = {"type": "array", "items": PRODUCT}


@pytest.mark.parametrize(
    ("schema", "names"),
    [(PRODUCT, ("recipe-plain", "shop-micro", "shop-plain")), (CARDS, ("cards", "listing-ld"))],
    ids=["one", "many"],
)
def test_each_page_has_the_values_of_the_schema(
    daemon: Daemon, site: Site, schema: dict[str, Any], names: tuple[str, ...]
) -> None:
    """With both engines, also from a file; missing fields are named, never invented."""
    urls = [site.url(f"extract/{name}.html") for name in names]
    wanted = {}
    for url in urls:
        daemon.do("navigate", url=url)
        found = daemon.do("extract_data", schema=schema)
        wanted[url] = found.get("data", found.get("items"))
    assert all(wanted.values())
    file = daemon.home.base / "tmp" / "schema.json"
    file.write_text(json.dumps(schema))
    told = {"urls": urls, "max_depth": 0, "concurrency": 1}
    static = daemon.do("crawl", engine="static", extract_path=str(file), **told)["pages"]
    browser = daemon.do("crawl", engine="browser", extract=schema, **told)["pages"]
    assert {page["url"]: page["extracted"] for page in static} == wanted
    assert {page["url"]: page["extracted"] for page in browser} == wanted
    if schema is PRODUCT:
        assert all("isbn" in page["missing"] for page in static)


def test_an_unreadable_schema_starts_no_crawl(daemon: Daemon, site: Site) -> None:
    error = daemon.call("crawl", url=site.url(), extract={"properties": {"a": {"type": "x"}}}).error
    assert error["code"] == "invalid_argument"
    assert site.seen("/") == []

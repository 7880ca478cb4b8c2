"""extract_data: values out of pages of many layouts, in the shape of a schema."""

from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
WHOLE = {"type": "integer"}
FLAG = {"type": "boolean"}
DAY = {"type": "string", "format": "date"}
MOMENT = {"type": "string", "format": "date-time"}
URL = {"type": "string", "format": "uri"}
TEXTS = {"type": "array", "items": TEXT}


def extract(daemon: Daemon, properties: dict[str, Any], **params: object) -> dict[str, Any]:
    result: dict[str, Any] = daemon.do("extract_data", schema={"properties": properties}, **params)
    return result


def write(daemon: Daemon, site: Site, html: str) -> None:
    daemon.do("navigate", url=site.url("index.html"))
    daemon.do("javascript_tool", code=f"document.body.innerHTML = {html!r}; 1")


PRODUCT = {
    "name": TEXT, "price": NUMBER, "currency": TEXT, "brand": TEXT, "in_stock": FLAG,
    "rating": NUMBER, "review_count": WHOLE, "sku": TEXT, "features": TEXTS,
}  # fmt: skip
RECIPE = {
    "name": TEXT, "prep_time": NUMBER, "cook_time": WHOLE, "servings": WHOLE,
    "ingredients": TEXTS, "steps": TEXTS,
}  # fmt: skip
EVENT = {
    "name": TEXT, "start_date": MOMENT, "end_date": DAY, "venue": TEXT, "address": TEXT,
    "price": NUMBER, "free_entry": FLAG, "email": {"type": "string", "format": "email"},
    "phone": TEXT, "performers": TEXTS,
}  # fmt: skip
PAGES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "shop-plain", PRODUCT,
        {
            "name": "Oak desk", "price": 1299.5, "currency": "USD", "brand": "Workshop & Sons",
            "in_stock": True, "rating": 4.5, "review_count": 1024, "sku": "WS-77",
            "features": ["Solid oak", "Cable tray", "Two drawers"],
        },
    ),
    (
        "shop-micro", PRODUCT,
        {
            "name": "Kaffeemühle Modell 3", "price": 1234.56, "currency": "EUR",
            "brand": "Mahlgut", "in_stock": False, "rating": 4.7, "review_count": 1024,
        },
    ),
    (
        "news", {"title": TEXT, "author": TEXT, "published": DAY, "tags": TEXTS},
        {
            "title": "Tide returns to the old harbour", "author": "Ines Ferro",
            "published": "2024-03-05", "tags": ["Sea", "Harbour"],
        },
    ),
    (
        "recipe", RECIPE,
        {
            "name": "Lemon soup", "prep_time": 15, "cook_time": 90, "servings": 4,
            "ingredients": ["2 lemons", "1 l stock", "100 g rice"],
            "steps": ["Boil the rice.", "Add the lemons."],
        },
    ),
    (
        "recipe-plain", RECIPE,
        {
            "name": "Plain bread", "prep_time": 20, "servings": 8,
            "ingredients": ["500 g flour", "Salt"], "steps": ["Mix.", "Bake."],
        },
    ),
    (
        "event", EVENT,
        {
            "name": "Night of organs", "start_date": "2025-06-21T20:00:00+02:00",
            "venue": "St. Vitus, Long Lane 4", "price": 18.5, "free_entry": False,
            "email": "box@organs.example", "phone": "+49 12345",
        },
    ),
    (
        "event-ld", EVENT,
        {
            "name": "Spring fair", "start_date": "2025-04-12T10:00:00", "end_date": "2025-04-13",
            "venue": "Town hall", "address": "Main St 1, 1000, Elder", "price": 12,
            "performers": ["Ann", "Bo"],
        },
    ),
    (
        "rtl", {"name": TEXT, "price": NUMBER, "description": TEXT},
        {"name": "قهوة عربية ☕", "price": 123.5, "description": "قهوة محمّصة طازجة"},
    ),
    (
        "cjk", {"name": TEXT, "price": NUMBER, "author": TEXT, "published": DAY, "in_stock": FLAG},
        {
            "name": "急須 🍵", "price": 12800, "author": "山田太郎", "published": "2024-03-05",
            "in_stock": True,
        },
    ),
]  # fmt: skip


@pytest.mark.parametrize(("page", "schema", "data"), PAGES, ids=[page[0] for page in PAGES])
def test_values_of_many_layouts(
    daemon: Daemon, site: Site, page: str, schema: dict[str, Any], data: dict[str, Any]
) -> None:
    """Values have the declared types, missing ones are listed, none is invented."""
    daemon.do("navigate", url=site.url(f"extract/{page}.html"))
    result = extract(daemon, schema)
    assert result["data"] == data
    assert result["fields_missing"] == [name for name in schema if name not in data]
    assert (result["fields_found"], result["fields_total"]) == (len(data), len(schema))
    assert set(result["strategies"]) == set(result["confidence"]) == set(data)
    assert all(0 < score < 1 for score in result["confidence"].values())


def test_each_field_says_where_it_came_from(daemon: Daemon, site: Site) -> None:
    """JSON-LD takes precedence over guesses from the layout."""
    daemon.do("navigate", url=site.url("product.html"))
    result = extract(daemon, {"name": TEXT, "price": NUMBER, "currency": TEXT})
    assert result["data"] == {"name": "Copper kettle", "price": 39.5, "currency": "EUR"}
    assert result["strategies"]["price"] == "json-ld"
    assert result["sources"]["price"] == "Product.offers.price"
    daemon.do("navigate", url=site.url("extract/shop-plain.html"))
    result = extract(daemon, {"sku": TEXT, "price": NUMBER})
    assert result["strategies"] == {"sku": "table", "price": "heuristic"}
    assert result["confidence"]["sku"] > result["confidence"]["price"]


def test_missing_required_fields_are_named(daemon: Daemon, site: Site) -> None:
    """Required ones separately; a value of the wrong type counts as missing, with a note."""
    daemon.do("navigate", url=site.url("extract/shop-plain.html"))
    schema = {
        "type": "object", "properties": {"isbn": TEXT, "weight": DAY, "sku": TEXT},
        "required": ["isbn", "sku"],
    }  # fmt: skip
    result = daemon.do("extract_data", schema=schema)
    assert result["required_missing"] == ["isbn"]
    assert set(result["fields_missing"]) == {"isbn", "weight"}
    assert any("weight" in error and "32.4 kg" in error for error in result["validation_errors"])


def test_repeated_cards_become_items(daemon: Daemon, site: Site) -> None:
    """`multiple`, or an array in the schema: the cards, not the navigation above them."""
    daemon.do("navigate", url=site.url("extract/cards.html"))
    card = {"title": TEXT, "url": URL, "author": TEXT, "price": NUMBER, "in_stock": FLAG}
    many = extract(daemon, card, multiple=True)
    assert many["count"] == many["total"] == 3
    assert many["items"][1] == {
        "title": "The Wood", "url": site.url("books/2"), "author": "Bo Birch", "price": 1053.74,
        "in_stock": False,
    }  # fmt: skip
    assert many["items"][2]["title"] == "바다 이야기 🌊"
    books = {"books": {"type": "array", "items": {"type": "object", "properties": card}}}
    assert extract(daemon, books)["data"]["books"] == many["items"]


def test_rows_of_the_table_that_fits(daemon: Daemon, site: Site) -> None:
    """The right one of two tables; columns by header, in any order and spelling."""
    daemon.do("navigate", url=site.url("extract/table.html"))
    row = {"name": TEXT, "email": TEXT, "start_date": DAY, "salary": NUMBER, "active": FLAG}
    assert extract(daemon, row, multiple=True)["items"] == [
        {
            "name": "Ann Ash", "email": "ann@x.example", "start_date": "2020-03-02",
            "salary": 54000.5, "active": True,
        },
        {
            "name": "Bo Birch", "email": "bo@x.example", "start_date": "2021-01-15",
            "salary": 61000, "active": False,
        },
    ]  # fmt: skip
    offices = extract(daemon, {"offices": [{"city": "string", "desks": "int"}]})
    assert offices["data"]["offices"] == [
        {"city": "Oslo", "desks": 12}, {"city": "Bergen", "desks": 7},
    ]  # fmt: skip


def test_item_lists_of_json_ld(daemon: Daemon, site: Site) -> None:
    """An ItemList without a layout works as well as cards."""
    daemon.do("navigate", url=site.url("extract/listing-ld.html"))
    result = extract(daemon, {"name": TEXT, "price": NUMBER, "url": URL}, multiple=True)
    assert result["items"] == [
        {"name": "Flat A", "price": 900, "url": site.url("a")},
        {"name": "Flat B", "price": 1100, "url": site.url("b")},
    ]


def test_selector_bounds_and_repeats(daemon: Daemon, site: Site) -> None:
    """With a selector only its content counts; with `multiple` each match is an item."""
    daemon.do("navigate", url=site.url("product.html"))
    review = {"author": TEXT, "rating": WHOLE}
    one = extract(daemon, review, selector=".review")
    assert one["data"] == {"author": "Ada", "rating": 5}
    many = extract(daemon, review, selector=".review", multiple=True)
    assert many["items"] == [{"author": "Ada", "rating": 5}, {"author": "Grace", "rating": 4}]


def test_without_a_schema_all_structured_data_is_returned(daemon: Daemon, site: Site) -> None:
    """JSON-LD, OpenGraph, meta tags, labels and tables, unchanged."""
    daemon.do("navigate", url=site.url("product.html"))
    data = daemon.do("extract_data")["data"]
    assert data["json_ld"][0]["offers"]["price"] == "39.50"
    daemon.do("navigate", url=site.url("extract/table.html"))
    data = daemon.do("extract_data")["data"]
    assert data["tables"][0]["headers"] == ["City", "Desks"]
    assert data["tables"][0]["rows"][1] == ["Bergen", "7"]
    daemon.do("navigate", url=site.url("extract/news.html"))
    data = daemon.do("extract_data")["data"]
    assert data["open_graph"]["og:type"] == "article"
    assert data["meta"]["author"] == "Ines Ferro"


def test_three_thousand_rows_come_in_pages(daemon: Daemon, site: Site) -> None:
    """1,000 items first, the rest by next_step; none is lost."""
    rows = "".join(f"<tr><td>P{n}<td>{n},50 €<td>x" for n in range(3000))
    write(daemon, site, f"<table><tr><th>Product<th>Price<th>Note</tr>{rows}</table>")
    page = extract(daemon, {"product": TEXT, "price": NUMBER}, multiple=True)
    assert (page["count"], page["total"], page["next_offset"]) == (1000, 3000, 1000)
    items = page["items"]
    while page["next_offset"] is not None:
        page = daemon.do(page["next_step"]["verb"], **page["next_step"]["arguments"])
        items += page["items"]
    assert [item["product"] for item in items] == [f"P{n}" for n in range(3000)]
    assert items[12]["price"] == 12.5


def test_megabyte_of_text_does_not_hide_the_label(daemon: Daemon, site: Site) -> None:
    """A value after a megabyte of text, on a page that never rests."""
    write(daemon, site, f"<p>{'word ' * 200_000}</p><p>Order number: 77-1</p><i id=u></i>")
    daemon.do(
        "javascript_tool",
        code="(function f() { u.textContent = Math.random(); requestAnimationFrame(f) })(); 1",
    )
    assert extract(daemon, {"order_number": TEXT})["data"] == {"order_number": "77-1"}


def test_hidden_text_is_not_a_value(daemon: Daemon, site: Site) -> None:
    """Hidden text and passwords are never values; invisible characters are removed."""
    write(
        daemon,
        site,
        "<p style='display:none'>Code: 111</p><p>Colour: re\u202ed</p>"
        "<label>Password <input type=password value=geheim></label>",
    )
    result = extract(daemon, {"code": TEXT, "colour": TEXT, "password": TEXT})
    assert result["data"] == {"colour": "red"}
    assert result["sanitized"]["removed"] == 1
    assert "geheim" not in str(daemon.do("extract_data"))


def test_frames_and_shadow_trees_have_values(daemon: Daemon, site: Site) -> None:
    """A value in a frame of another origin, or deep in 60 shadow trees, is found."""
    daemon.do("navigate", url=site.url("reading/frames.html"))
    assert extract(daemon, {"title": TEXT})["data"]["title"] == "Outer"
    write(daemon, site, "<div id=top></div>")
    daemon.do(
        "javascript_tool",
        code="""let at = document.querySelector('#top');
        for (let n = 0; n < 60; n++) {
          const inner = document.createElement('div');
          at.attachShadow({mode: n % 2 ? 'open' : 'closed'}).append(inner);
          at = inner;
        }
        at.textContent = 'Depth: 60 trees'; 1""",
    )
    assert extract(daemon, {"depth": TEXT})["data"] == {"depth": "60 trees"}
    write(
        daemon,
        site,
        "".join(f"<iframe srcdoc='<p>Key {n}: value {n}</p>'></iframe>" for n in range(100)),
    )
    daemon.do(
        "wait_for",
        type="function",
        value="Array.from(document.querySelectorAll('iframe'))"
        ".every((one) => one.contentDocument?.body?.textContent)",
    )
    assert extract(daemon, {"key_99": TEXT})["data"] == {"key_99": "value 99"}


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"schema": {"properties": {}}}, "invalid_argument"),
        ({"schema": {"properties": {"a": {"type": "colour"}}}}, "invalid_argument"),
        ({"schema": {"properties": {"a": 7}}}, "invalid_argument"),
        ({"schema": {"type": "string"}}, "invalid_argument"),
        ({"schema": {"a": "string"}, "selector": "#none"}, "element_not_found"),
        ({"schema": {"a": "string"}, "selector": "a["}, "invalid_argument"),
        ({"schema": {"a": "string"}, "schema_path": "/x.json"}, "source_conflict"),
        ({"schema_path": "x.json"}, "path_not_absolute"),
    ],
)
def test_invalid_schemas_and_selectors_are_errors(
    daemon: Daemon, site: Site, params: dict[str, object], code: str
) -> None:
    """Invalid schemas, invalid selectors and missing matches have their own codes."""
    daemon.do("navigate", url=site.url("product.html"))
    assert daemon.call("extract_data", **params).code == code


def test_schema_by_path(daemon: Daemon, site: Site) -> None:
    """A large schema comes from a file."""
    path = daemon.home.path / "files" / "schema.json"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text('{"properties": {"name": {"type": "string"}}}', encoding="utf-8")
    daemon.do("navigate", url=site.url("product.html"))
    result = daemon.do("extract_data", schema_path=str(path))
    assert result["data"] == {"name": "Copper kettle"}


def test_metadata_as_written_by_real_pages(daemon: Daemon, site: Site) -> None:
    """JSON-LD with comments, items with parts elsewhere, and more than one picture."""
    daemon.do("navigate", url=site.url("extract/embedded.html"))
    data = daemon.do("extract_data")["data"]
    assert data["json_ld"][0]["name"] == "Lamp"
    assert data["json_ld"][0]["url"] == "https://shop.example//lamp"
    assert data["open_graph"] == {"og:title": "Lamp", "og:image": ["/1.jpg", "/2.jpg"]}
    (band,) = data["microdata"]
    assert (band["name"], band["genre"]) == ("The Quay", "skiffle")
    assert band["member"] == ["Ada", "Bo"]
    assert extract(daemon, {"image": URL})["data"]["image"] == site.url("1.jpg")

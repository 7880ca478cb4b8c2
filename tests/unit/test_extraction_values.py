"""Numbers, dates, names and schemas, as pages and callers write them."""

import pytest

from ocd.api.errors import OcdError
from ocd.extraction.dates import iso_date, iso_moment
from ocd.extraction.embedded_metadata import from_json, from_markup, group_metas
from ocd.extraction.field_names import likeness, words_of
from ocd.extraction.node_tree import Tree
from ocd.extraction.numbers import currency_in, minutes_in, number_in
from ocd.extraction.schema import read_schema


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1,299.50", 1299.5), ("1.299,50 €", 1299.5), ("1 299,50", 1299.5),
        ("CHF 1'299.50", 1299.5),
        ("1.299 €", 1299), ("1,299", 1299), ("0,99", 0.99), ("4.5 out of 5", 4.5), ("-3", -3),
        ("12k", 12000), ("3.2 million", 3200000), ("1,234,567", 1234567),
        ("\u0661\u0662\u0663\u066b\u0665", 123.5),
        ("\uff11\uff12\uff18", 128), ("12만", 120000), ("no number", None), ("", None), ("v", None),
    ],
)  # fmt: skip
def test_numbers_as_people_write_them(text: str, number: float | None) -> None:
    """Either decimal sign, digit groups of Europe and India, digits of any script, scales."""
    assert number_in(text) == number


@pytest.mark.parametrize(
    ("text", "lang", "day"),
    [
        ("2024-03-05T07:30:00Z", "", "2024-03-05"), ("5 March 2024", "", "2024-03-05"),
        ("March 5th, 2024", "", "2024-03-05"), ("5. März 2024", "de", "2024-03-05"),
        ("5 de marzo de 2024", "es", "2024-03-05"), ("2024年3月5日", "ja", "2024-03-05"),
        ("2024년 3월 5일", "ko", "2024-03-05"), ("03/05/2024", "en-US", "2024-03-05"),
        ("03/05/2024", "en-GB", "2024-05-03"), ("05.03.2024", "", "2024-03-05"),
        ("25/12/2023", "en-US", "2023-12-25"), ("Tue, 05 Mar 2024 07:30:00 GMT", "", "2024-03-05"),
        ("1709623800", "", "2024-03-05"), ("31/02/2024", "", None), ("soon", "", None),
        (f"Tue, 05 Mar 2024 07:30:00 +{'9' * 20}", "", "2024-03-05"),
    ],
)  # fmt: skip
def test_dates_as_people_write_them(text: str, lang: str, day: str | None) -> None:
    """Month names, either order of numbers, timestamps; an impossible date is none."""
    assert iso_date(text, lang) == day


def test_times_keep_their_zone() -> None:
    """A time of day, if there is one."""
    assert iso_moment("2024-03-05 07:30 +0100") == "2024-03-05T07:30:00+01:00"
    assert iso_moment("5 March 2024, 7:05 pm") == "2024-03-05T19:05:00"
    assert iso_moment("5 March 2024") == "2024-03-05"


def test_durations_and_currencies() -> None:
    """ISO durations in minutes, ISO codes of currencies."""
    assert (minutes_in("PT1H30M"), minutes_in("P1D"), minutes_in("PT")) == (90, 1440, None)
    assert [currency_in(text) for text in ("R$ 5", "5 EUR", "£5", "5")] == ["BRL", "EUR", "GBP", ""]


@pytest.mark.parametrize(
    ("asked", "better", "worse"),
    [
        ("price", "product-price", "old-price"), ("price", "Preis", "shippingPrice"),
        ("author", "byline", "author image"), ("reviewCount", "number of reviews", "review"),
        ("product_name", "name", "brand name"), ("ingredients", "recipeIngredient", "instructions"),
    ],
)  # fmt: skip
def test_names_that_mean_the_same(asked: str, better: str, worse: str) -> None:
    """Spelling, plural, language and words around a name make no difference; other names differ."""
    words = words_of(asked)
    assert likeness(words, words_of(better)) > likeness(words, words_of(worse))
    assert likeness(words, words_of(better)) >= 0.5


@pytest.mark.parametrize(
    "text",
    [
        '{"@type": "Product", "name": "x"}', '[{"@type": "Product", "name": "x"}]',
        '{"@graph": [{"@type": "Product", "name": "x"}]}',
        '<!-- {"@type":"Product","name":"x"} -->',
        '//<![CDATA[\n{"@type":"Product","name":"x",}\n//]]>',
        '/*<![CDATA[*/{"@type":"Product","name":"x"}/*]]>*/',
    ],
)  # fmt: skip
def test_json_ld_as_pages_write_it(text: str) -> None:
    """Graphs, lists, comments around it and trailing commas."""
    (entity,) = from_json([text])
    assert (entity.types, entity.props["name"]) == (("Product",), "x")


def test_broken_json_ld_is_skipped() -> None:
    """Neither plain words nor endless nesting raise."""
    assert from_json(["not json", "{", "[" * 100_000, '"text"', "7"]) == []


def test_short_schema_notations() -> None:
    """The properties alone, types as words, lists as lists."""
    wanted = read_schema({"name": "string", "price": "price", "tags": ["string"], "when": "date"})
    assert [(one.name, one.kind, one.format) for one in wanted.fields] == [
        ("name", "string", ""), ("price", "number", ""), ("tags", "array", ""),
        ("when", "string", "date"),
    ]  # fmt: skip
    assert read_schema({"type": "array", "items": {"properties": {"a": {}}}}).kind == "array"
    deep: dict[str, object] = {"type": "string"}
    for _ in range(20):
        deep = {"type": "object", "properties": {"a": deep}}
    with pytest.raises(OcdError):
        read_schema(deep)


def test_json_ld_with_comments_is_read() -> None:
    """Comments go, but not what looks like one inside a string."""
    text = """{ // which vocabulary
      "@type": "Product", /* the shop's
      own */ "url": "http://e.com/*x*/", "name": "A // B", }"""
    (found,) = from_json([text])
    assert found.props == {"@type": "Product", "url": "http://e.com/*x*/", "name": "A // B"}


def _tree(*entries: list[object]) -> Tree:
    return Tree([[-1, "html", 0], *entries])


def test_rdfa_without_a_type_is_about_a_resource_or_the_page() -> None:
    """Properties inside a typed item, and the page's meta tags, are reported elsewhere."""
    tree = _tree(
        [0, "meta", {"property": "og:title", "content": "x"}],
        [0, "div", {"resource": "/posts/bob"}],
        [1, "h2", {"property": "title"}], [2, "The trouble with Bob"],
        [1, "a", {"property": "dc:creator", "resource": "#alice"}], [2, "by her"],
        [1, "div", {"typeof": "Event"}], [2, "b", {"property": "name"}], [3, "A fair"],
        [1, "p", {"about": "#alice"}], [2, "b", {"property": "name"}], [3, "Alice"],
        [1, "i", {"property": "title"}], [2, "Second title"],
        [0, "a", {"property": "http://creativecommons.org/ns#license", "href": "http://cc/by"}],
    )  # fmt: skip
    told = [one.props for one in from_markup(tree) if not one.types]
    assert told == [
        {
            "@id": "/posts/bob",
            "title": ["The trouble with Bob", "Second title"],
            "creator": "#alice",
        },
        {"@id": "#alice", "name": "Alice"},
        {"license": "http://cc/by"},
    ]


def test_itemref_adds_elements_from_elsewhere() -> None:
    """Each named element is added once; a circle of references ends."""
    tree = _tree(
        [0, "div", {"itemscope": "1", "itemtype": "Band", "itemref": "a b a gone", "id": "band"}],
        [1, "span", {"itemprop": "name"}], [2, "The Quay"],
        [0, "p", {"id": "a"}], [1, "b", {"itemprop": "genre"}], [2, "Skiffle"],
        [0, "div", {"id": "b", "itemprop": "leader", "itemscope": "1", "itemref": "c band"}],
        [1, "i", {"itemprop": "name"}], [2, "Ada"],
        [0, "i", {"id": "c", "itemprop": "age"}], [1, "40"],
    )  # fmt: skip
    (band,) = [one for one in from_markup(tree) if one.top]
    assert band.props["name"] == "The Quay"
    assert band.props["genre"] == "Skiffle"
    leader = band.props["leader"]
    assert (leader["name"], leader["age"]) == ("Ada", "40")


def test_repeated_meta_tags_are_a_list() -> None:
    metas = [("og:image", "/1"), ("og:title", "T"), ("og:image", "/2")]
    assert group_metas(metas) == {"og:image": ["/1", "/2"], "og:title": "T"}

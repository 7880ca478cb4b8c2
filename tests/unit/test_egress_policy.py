"""What counts as read by a session's caller, by the output of verbs."""

from dataclasses import replace

import pytest

from ocd.calls.catalog import load
from ocd.calls.egress_policy import EgressPolicy
from ocd.verb_api.declaration import Output, Verb

A, B, C = "http://a.example", "http://b.example:81", "http://c.example"
VERBS = load()


def read_by(verb: Verb, output: Output, **params: str) -> tuple[str, ...]:
    policy = EgressPolicy(lambda: "deny", lambda _: None)
    found = policy.note("s", verb, params, output)
    assert tuple(policy.taints.of("s").origins) == found
    return found


@pytest.mark.parametrize(
    ("output", "params", "expected"),
    [
        (Output(content="x", origin=f"{A}/page"), {"url": B}, (A,)),
        (Output(content="x", data={"url": f"{B}/page"}), {"url": A}, (B,)),
        (Output(content="x", data=[1]), {"url": "c.example/page"}, ("https://c.example",)),
        (Output(content="x", origin="about:blank", data={"url": f"{B}/"}), {}, (B,)),
        (Output(content="x", origin=A, origins=(B, A, "file://", C)), {}, (A, B, C)),
        (Output(content="x"), {}, ()),
    ],
    ids=["origin", "the page's address", "what was asked for", "no origin", "several", "none"],
)
def test_page_text_counts_as_read_from_its_origins(
    output: Output, params: dict[str, str], expected: tuple[str, ...]
) -> None:
    """The first address that has an origin, and whatever else the verb names."""
    assert read_by(VERBS["read_page"], output, **params) == expected


def test_results_without_page_text_do_not_count() -> None:
    assert VERBS["oc_task_list"].page_keys == ()
    assert read_by(VERBS["oc_task_list"], Output(data={"url": A}, origin=A)) == ()


def test_an_upstream_server_counts_by_its_name() -> None:
    """It is no web origin, and what it says counts in any case."""
    verb = replace(VERBS["read_page"], name="files__read", upstream_params=frozenset())
    assert read_by(verb, Output(content="x", origin="mcp:files"), url=A) == ("mcp:files",)

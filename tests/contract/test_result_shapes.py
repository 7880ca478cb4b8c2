"""The results of verbs are declared, and compared with their declarations."""

import json

import pytest

from ocd.calls import catalog, result_schemas
from support.result_shapes import check, fault

VERBS = catalog.load()
DECLARED = {**VERBS, **catalog.kinds()}
# What it answers is another verb's; the journal's entries and its counts are of two shapes.
SEVERAL = {"call_verb", "oc_journal"}


def test_every_verb_and_task_kind_declares_its_result() -> None:
    assert [name for name, verb in DECLARED.items() if verb.returns is None] == []
    document = result_schemas.render(DECLARED.values())
    schemas = {**document["verbs"], **document["kinds"]}
    assert {
        name for name, schema in schemas.items() if not result_schemas.referred_to(schema)
    } == SEVERAL
    assert set(document["kinds"]) == set(DECLARED) - set(VERBS)


def test_generated_schemas_are_current() -> None:
    """api/results.json is what the declarations say now (`make gen`)."""
    written = json.loads(result_schemas.PACKAGED.read_bytes())
    assert written == json.loads(json.dumps(result_schemas.render(DECLARED.values())))


TAB = {"tab_id": "t1", "url": "about:blank", "title": ""}
TABS = {"session": "s", "current": "t1", "tab_count": 1, "worker_count": 0, "tabs": [TAB]}


@pytest.mark.parametrize(
    ("result", "place"),
    [
        (TABS, None),
        ({**TABS, "current": None, "browser_restarted": True}, None),
        ({**TABS, "tabs": [{**TAB, "held_by": "Ada"}]}, None),
        ({**TABS, "tabs": [{**TAB, "held": "Ada"}]}, "$.tabs[0]"),
        ({**TABS, "tabs": [{"tab_id": "t1", "url": ""}]}, "$.tabs[0]"),
        ({**TABS, "current": 1}, "$.current"),
        ({**TABS, "tab_count": True}, "$.tab_count"),
        ([TABS], "$"),
    ],
)
def test_mismatches_that_scenarios_detect(result: object, place: str | None) -> None:
    """A missing key, one that is not declared, and a value of another type are faults."""
    found = fault("tabs_context", result)
    assert (found.json_path if found else None) == place


def test_a_mismatch_fails_but_a_stored_result_does_not() -> None:
    with pytest.raises(
        AssertionError, match=r"tabs_context is not as declared .* required property"
    ):
        check("tabs_context", {})
    check("read_page", {"output_handle": "oh_ABCDEFGH2345", "fetch_with": "oc_output_fetch"})

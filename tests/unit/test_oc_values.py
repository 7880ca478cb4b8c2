"""Words of a command line as JSON values."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oc.command_line import value_parsing
from ocd.api.errors import OcdError

ANY_SCALAR = {"anyOf": [{"type": one} for one in ("string", "boolean", "integer", "number")]}
TEXT_OR_TEXTS = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
ONE_OR_SEVERAL = {
    "anyOf": [
        {"enum": ["A"]},
        {"type": "array", "items": {"anyOf": [{"enum": ["A"]}, {"enum": ["B"]}]}},
    ]
}
FIELDS = {"anyOf": [{"type": "array"}, {"type": "object", "additionalProperties": ANY_SCALAR}]}


@pytest.mark.parametrize(
    ("schema", "texts", "value"),
    [
        ({"type": "integer"}, ["-3"], -3),
        ({"type": "number"}, ["1.5"], 1.5),
        ({"type": "number"}, ["2"], 2),
        ({"type": "boolean"}, ["Yes"], True),
        ({"type": "string"}, ["12"], "12"),
        ({}, ["12"], 12),
        ({}, ["twelve"], "twelve"),
        ({"enum": [1, 2]}, ["2"], 2),
        ({"enum": ["add_rule"]}, ["addRule"], "add_rule"),
        ({"enum": ["add_rule"]}, ["add-rule"], "add_rule"),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, ["7"], 7),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, ['{"a":1}'], {"a": 1}),
        *((ANY_SCALAR, [text], text) for text in ("007", "+49", "1e5", "yes", "no", "1.0", "True")),
        (ANY_SCALAR, ["true"], True),
        (ANY_SCALAR, ["12.5"], 12.5),
        (TEXT_OR_TEXTS, ['["a","b"]'], ["a", "b"]),
        (TEXT_OR_TEXTS, ['[{"id":1}]'], '[{"id":1}]'),
        (FIELDS, ["Zip=007", "Terms=true"], {"Zip": "007", "Terms": True}),
        (FIELDS, ['[{"ref":"e1","value":"x"}]'], [{"ref": "e1", "value": "x"}]),
        ({"anyOf": [{"type": "array", "items": {"enum": ["A", "B"]}}]}, ["A", "B"], ["A", "B"]),
        (ONE_OR_SEVERAL, ["A"], "A"),
        (ONE_OR_SEVERAL, ["A,B"], ["A", "B"]),
        (ONE_OR_SEVERAL, ['["A", "B"]'], ["A", "B"]),
        ({"type": "array", "items": {"enum": ["a_b", "c"]}}, ["c, a-b"], ["c", "a_b"]),
        ({"type": "array", "items": {"enum": ["A", "B", "C"]}}, ["A,B", "C"], ["A", "B", "C"]),
        (TEXT_OR_TEXTS, ["a,b"], "a,b"),
        ({"type": "array", "items": {"type": "integer"}}, ["1", "2"], [1, 2]),
        ({"type": "array", "items": {"type": "number"}}, ["300,20.5"], [300, 20.5]),
        ({"type": "array", "items": {"type": "string"}}, ["a,b"], ["a,b"]),
        ({"type": "array", "items": {"type": "object"}}, ['[{"a":1}]'], [{"a": 1}]),
        ({"type": "array", "items": {"type": "array"}}, ["[1,2]"], [1, 2]),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, ["a=1"], {"a": 1}),
    ],
)
def test_texts_become_values_by_their_schema(
    schema: dict[str, Any], texts: list[str], value: object
) -> None:
    assert value_parsing.parse("--x", schema, texts) == value


@pytest.mark.parametrize(
    ("schema", "texts", "said"),
    [
        ({"type": "integer"}, ["1.5"], "a whole number"),
        ({"type": "boolean"}, ["perhaps"], "true or false"),
        ({"type": "object"}, ["[1]"], "JSON object"),
        ({"type": "string"}, ["a", "b"], "2 times"),
        ({"type": "number"}, ["inf"], "finite"),
        ({"type": "array", "items": {"enum": ["A", "B"]}}, ["A,C"], "one of A, B, not 'A,C'"),
        (ONE_OR_SEVERAL, ["A,C"], "A or B, not 'A,C'"),
        ({"anyOf": [{"type": "integer"}, {"enum": ["auto"]}]}, ["x"], "number or auto"),
        ({"type": "object"}, ['{"a":NaN}'], "JSON"),
        ({"type": "object"}, ['{"a":' * 100_000], "JSON"),
    ],
)
def test_errors_say_what_was_expected(schema: dict[str, Any], texts: list[str], said: str) -> None:
    with pytest.raises(OcdError) as caught:
        value_parsing.parse("--x", schema, texts)
    assert caught.value.code == "invalid_argument"
    assert said in caught.value.message
    assert len(caught.value.message) < 400


@given(st.sampled_from([{}, {"type": "object"}, {"type": "array"}, {"type": "number"}]), st.text())
def test_any_text_is_a_value_or_an_error(schema: dict[str, Any], text: str) -> None:
    code = ""
    try:
        value_parsing.parse("--x", schema, [text])
    except OcdError as refusal:
        code = refusal.code
    assert code in ("", "invalid_argument")

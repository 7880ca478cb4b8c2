"""Whether what a verb answers is what its declaration says: see `check`.

Every successful answer that `support.daemon.Daemon` and `support.wire.PendingCall` bring is looked
at, so each scenario proves the shapes of the verbs that it calls.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import best_match

# What stands for a result that was stored: a descriptor, or the guard's pointer.
_STORED = ("fetch_with", "output_path")


@cache
def _document() -> dict[str, Any]:
    """Return the schemas, which here allow no key that they do not name."""
    text = files("ocd.api").joinpath("results.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    for shape in document["$defs"].values():
        if "properties" in shape:
            shape["additionalProperties"] = False
    return document


@cache
def _validator(verb: str) -> Draft202012Validator | None:
    document = _document()
    declared = {**document["kinds"], **document["verbs"]}
    if verb not in declared:
        return None
    return Draft202012Validator({**declared[verb], "$defs": document["$defs"]})


def fault(verb: str, result: object) -> ValidationError | None:
    """Return the most serious fault of a result."""
    validator = _validator(verb)
    return best_match(validator.iter_errors(result)) if validator else None


def check(verb: str, result: object) -> None:
    """Fail, saying where, if a result is not of the shape that its verb declares.

    That of a task that has completed is of the shape of what it ran.
    """
    if isinstance(result, dict) and any(key in result for key in _STORED):
        return
    if wrong := fault(verb, result):
        place = f"{verb}{wrong.json_path.removeprefix('$')}"
        raise AssertionError(f"{place} is not as declared (`returns`): {wrong.message[:300]}")
    if verb == "oc_task_get" and isinstance(result, dict) and "result" in result:
        meta = result["meta"]
        if meta["status"] == "COMPLETED":
            check(meta["kind"], result["result"])

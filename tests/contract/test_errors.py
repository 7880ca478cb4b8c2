"""The table of errors: complete, consistent, and each code used."""

import ast
from pathlib import Path

import pytest

from ocd.api.errors import CODES, OcdError, error_from_body, exit_status, http_status
from support.syntax_trees import IN_ONE_WORKER, tree_of

pytestmark = IN_ONE_WORKER

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    path
    for folder in ("daemon/ocd", "client/oc", "mcp_bridge/oc_mcp")
    for path in (ROOT / folder).rglob("*.py")
]


def _raised() -> set[str]:
    """Return the codes that the source names as OcdError's first argument."""
    found = set()
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and _name(node) == "OcdError" and node.args:
                found |= _words(node.args[0])
    return found


def _words(code: ast.expr) -> set[str]:
    if isinstance(code, ast.IfExp):
        return _words(code.body) | _words(code.orelse)
    return {code.value} if isinstance(code, ast.Constant) and isinstance(code.value, str) else set()


def _name(node: ast.Call) -> str:
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def test_every_code_that_is_raised_is_in_the_table() -> None:
    """`OcdError("x", …)` without a line in CODES is a bug before it happens."""
    assert sorted(_raised() - set(CODES)) == []


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_is_used(code: str) -> None:
    """A code of the table stands somewhere in the source besides the table."""
    texts = (p.read_text(encoding="utf-8") for p in SOURCES if p.name != "errors.py")
    assert any(f'"{code}"' in text for text in texts), f"nothing says {code}"


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_code_has_http_and_exit_statuses(code: str) -> None:
    """A code has an error status of HTTP and one of oc's exit statuses."""
    assert 400 <= http_status(code) <= 599
    assert exit_status(code) in (1, 2, 3, 4, 5, 130)


@pytest.mark.parametrize("code", sorted(CODES))
def test_error_survives_the_wire(code: str) -> None:
    """An error's body makes the same error again."""
    error = OcdError(code, "what happened", hint="what to do", path="/x")
    again = error_from_body(error.body())
    assert again.body() == error.body()


def test_unknown_code_is_internal() -> None:
    """A code of a newer daemon is understood as `internal`."""
    assert error_from_body({"code": "from_the_future", "message": "m"}).code == "internal"
    assert (http_status("from_the_future"), exit_status("from_the_future")) == (500, 1)

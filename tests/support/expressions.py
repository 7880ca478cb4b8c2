"""Every regular expression in our packages, found in their syntax trees.

An expression is known by its text, its flags and how it is used, not by its module: files move.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from support.syntax_trees import tree_of

PACKAGES = ("ocd", "oc", "oc_mcp")
USES = ("fullmatch", "match", "search", "split", "sub", "subn", "findall", "finditer")
_FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.ASCII | re.VERBOSE

# What a process draws by lot is another one in the next process.
_DRAWN = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression. flags: "is"; uses: "match", "search" (anything that looks further)."""

    pattern: str | bytes
    flags: str
    use: str

    def compiled(self) -> re.Pattern[Any]:
        """Return the compiled expression."""
        return re.compile(self.pattern, sum(getattr(re, one.upper()) for one in self.flags))


@dataclass(frozen=True, slots=True)
class Found:
    """The expression used at one place in the code; None if it is made at run time."""

    expression: Expression | None
    place: str
    source: str


@cache
def collect() -> list[Found]:
    """Return every use of `re` in the three packages."""
    found: list[Found] = []
    trees = {name: tree_of(path) for name, path in _modules()}
    methods = _methods(trees.values())
    for name, tree in trees.items():
        found += _in_module(name, tree, methods)
    return found


def _modules() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        spec = find_spec(package)
        assert spec
        assert spec.origin
        root = Path(spec.origin).parent
        for path in sorted(root.rglob("*.py")):
            parts = [package, *path.relative_to(root).with_suffix("").parts]
            yield ".".join(part for part in parts if part != "__init__"), path


def _methods(trees: Any) -> dict[str, set[str]]:  # noqa: ANN401 - a view of trees
    """Return the methods called on each name anywhere: {"_REF": {"sub"}}."""
    done: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                done.setdefault(node.value.id, set()).add(node.attr)
    return done


def _in_module(name: str, tree: ast.Module, methods: dict[str, set[str]]) -> Iterator[Found]:
    here, whole = _methods([tree]), _whole(tree)
    module: ModuleType | None = None
    constants = _constants(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "re":
            assert [one.name for one in node.names] == ["Pattern"], f"{name}: import re as a whole"
        call = _call_of_re(node)
        if call is None or call.func.attr == "escape":  # type: ignore[attr-defined]
            continue
        module = module or importlib.import_module(name)
        verb = call.func.attr  # type: ignore[attr-defined]
        constant = constants.get(id(call))
        if verb != "compile":
            uses = {verb}
        elif constant is None:
            uses = {"match"} if id(call) in whole else {"search"}
        else:
            uses = here.get(constant, set()) | (
                methods.get(constant, set()) if constant[0] != "_" else set()
            )
        place = f"{name}:{call.lineno}"
        yield Found(_expression(call, verb, uses, module), place, ast.unparse(call))


def _call_of_re(node: ast.AST) -> ast.Call | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    owner = node.func.value
    return node if isinstance(owner, ast.Name) and owner.id == "re" else None


def _constants(tree: ast.Module) -> dict[int, str]:
    """Return the names that calls are bound to at the top of the module, by the call's id."""
    names = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[id(node.value)] = node.targets[0].id
    return names


def _whole(tree: ast.Module) -> set[int]:
    """Return the calls of which only .match or .fullmatch is taken: `re.compile(…).fullmatch`."""
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in ("match", "fullmatch")
    }


def _expression(call: ast.Call, verb: str, uses: set[str], module: ModuleType) -> Expression | None:
    def value(node: ast.expr) -> Any:  # noqa: ANN401 - whatever the code says
        return eval(compile(ast.Expression(node), "<expression>", "eval"), vars(module))

    try:
        pattern = value(call.args[0])
        flags = next((value(one.value) for one in call.keywords if one.arg == "flags"), 0)
        at = {"compile": 1, "match": 2, "fullmatch": 2, "search": 2, "findall": 2}.get(verb, 9)
        if len(call.args) > at:
            flags = value(call.args[at])
    except NameError:
        return None
    if isinstance(pattern, str):
        pattern = _DRAWN.sub("0" * 16, pattern)
    text = "".join(one for one in "aimsx" if flags & getattr(re, one.upper()))
    whole = uses & set(USES) <= {"match", "fullmatch"} and bool(uses & set(USES))
    use = "fullmatch" if whole and "match" not in uses else "match" if whole else "search"
    return Expression(pattern, text, use)

"""The syntax trees of our modules, read once in a process: several tests look at all of them."""

import ast
from functools import cache
from pathlib import Path

import pytest

# For test files that look at every tree: they share one worker, which parses each module once.
IN_ONE_WORKER = pytest.mark.xdist_group("syntax_trees")


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a module's tree; nobody may change it."""
    return ast.parse(path.read_text(encoding="utf-8"))

"""The syntax trees of our modules, read once in a process: several tests look at all of them."""

import ast
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """Return a module's tree; nobody may change it."""
    return ast.parse(path.read_text(encoding="utf-8"))

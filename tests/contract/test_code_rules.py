"""The rules of CONTRIBUTING.md that no general tool checks."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from support.syntax_trees import IN_ONE_WORKER, tree_of

pytestmark = IN_ONE_WORKER

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("daemon/ocd", "client/oc", "mcp_bridge/oc_mcp")
MAX_FUNCTION_LINES = 45
MAX_MODULE_LINES = 400
MAX_MODULES_OF_FOLDER = 25
FLAT_FOLDERS = {"daemon/ocd/verbs"}  # a module per noun, and the catalog names them all
# As names of functions they say neither what is done nor what is returned. Participles for a state
# that a property has (`closed`, `failed`, `ended`) are not here.
PARTICIPLES = frozenset(
    (
        "told", "said", "kept", "met", "whole", "brief", "shown", "known", "heard", "placed",
        "listed", "named", "plain", "found", "given", "taken", "wanted", "made", "left", "gone",
        "begun", "held", "seen", "chosen", "looked", "called", "noted", "lifted", "fitting",
        "numbered", "preferred", "carried", "cleaned", "compared", "lent", "reached",
        "asked", "supplied", "parsed", "decoded", "opened",
    )
)  # fmt: skip


_WORD = re.compile(r"\w+")


@cache
def _trees() -> dict[str, ast.Module]:
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    return {str(path.relative_to(ROOT)): tree_of(path) for path in files}


def _functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path, tree in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield f"{path}:{node.lineno} {node.name}", node


def test_functions_are_within_the_limit() -> None:
    """A longer function is two functions."""
    lengths = {where: (one.end_lineno or 0) - one.lineno + 1 for where, one in _functions()}
    assert [where for where, lines in lengths.items() if lines > MAX_FUNCTION_LINES] == []


def test_modules_are_within_the_limit() -> None:
    """A longer module has two nouns."""
    lengths = {path: len((ROOT / path).read_text("utf-8").splitlines()) for path in _trees()}
    assert [path for path, lines in lengths.items() if lines > MAX_MODULE_LINES] == []


def test_folders_are_within_the_limit() -> None:
    """A folder with more modules beside its sub-folders needs sub-folders."""
    scripts = (path.relative_to(ROOT) for name in PACKAGES for path in (ROOT / name).rglob("*.js"))
    modules = Counter(path.parent.as_posix() for path in (*map(Path, _trees()), *scripts))
    full = {folder for folder, count in modules.items() if count > MAX_MODULES_OF_FOLDER}
    assert full <= FLAT_FOLDERS


def test_no_function_is_named_by_a_bare_participle() -> None:
    """A name says what a function does or returns."""
    bare = [where for where, one in _functions() if one.name.removeprefix("_") in PARTICIPLES]
    assert "\n".join(bare) == ""


def test_every_repr_names_its_class() -> None:
    """A log line or a debugger leads to the class that a `__repr__` names."""
    wrong = [
        f"{path}:{method.lineno} {node.name}"
        for path, tree in _trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, ast.FunctionDef) and method.name == "__repr__"
        and not {node.name, "__name__"} & set(_WORD.findall(ast.unparse(method)))
    ]  # fmt: skip
    assert wrong == []


# By http.client of its socket, and by the MCP SDK of its request context.
_CALLED_FROM_OUTSIDE = {"makefile", "send_raw_request"}


def _defined_names(tree: ast.Module) -> Iterator[str]:
    """Yield what a module defines and its code must name to use: not what a decorator registers.

    Nor methods that a base class may call, nor private ones, which may be looked up by name.
    """
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
            if not node.bases:
                yield from (name for name in _functions_of(node.body) if name[0] != "_")
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (one.id for one in targets if isinstance(one, ast.Name))
    yield from _functions_of(tree.body)


def _functions_of(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.decorator_list:
            yield node.name


def test_every_name_is_used() -> None:
    """What nobody uses, or tests alone, is taken out: a private name by its module, others by all.

    The scripts that make documents and the Python client count as users.
    """
    words = {path: Counter(_WORD.findall((ROOT / path).read_text("utf-8"))) for path in _trees()}
    scripts = (path.read_text("utf-8") for path in (ROOT / "scripts").rglob("*.py"))
    everywhere = Counter(_WORD.findall("\n".join(scripts)))
    for counts in words.values():
        everywhere.update(counts)
    unused = [
        f"{path} {name}"
        for path, tree in _trees().items()
        for name in _defined_names(tree)
        if not name.startswith("__") and name not in _CALLED_FROM_OUTSIDE
        and (words[path] if name.startswith("_") else everywhere)[name] == 1
    ]  # fmt: skip
    assert unused == []


_SECTION = re.compile(r"^(?:Args|Attributes):\n((?:    .*\n?)+)", re.MULTILINE)
_DOCUMENTED = re.compile(r"^    (\w+(?:, \w+)*):", re.MULTILINE)


def _documented() -> Iterator[tuple[str, ast.AST, set[str]]]:
    """Yield where a docstring describes names, what it belongs to, and the names."""
    for path, tree in _trees().items():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                for section in _SECTION.finditer(ast.get_docstring(node) or ""):
                    lines = _DOCUMENTED.findall(section[1])
                    names = {name for line in lines for name in line.split(", ")}
                    yield f"{path}:{node.lineno} {node.name}", node, names


def _names_of(node: ast.AST) -> set[str]:
    """Return the parameters of a function, or of all functions of a class and its attributes."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        node = node.args
    names: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.arg):
            names.add(one.arg)
        elif isinstance(one, ast.Attribute):
            names.add(one.attr)
        elif isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(one.name)
        elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            names.add(one.target.id)
    return names


def test_docstrings_describe_parameters_that_exist() -> None:
    """A parameter or an attribute that was renamed is renamed in its description, too."""
    unknown = {where: names - _names_of(node) for where, node, names in _documented()}
    assert {where: names for where, names in unknown.items() if names} == {}


# Functions, arrow functions and methods at the indentation that the scripts have; no getters.
_SCRIPT_FUNCTION = re.compile(
    r"^(?:export )?(?:async )?function (\w+)\("
    r"|^(?:export )?const (\w+) = (?:async )?(?:\([^()]*\)|\w+) =>"
    r"|^  (?:static |async )*(\w+)\([^;]*\) \{$",
    re.MULTILINE,
)
_SUPERLATIVE = re.compile(
    r"^\s*(?:const |let )?_?(?:MOST|LEAST|FEWEST|LONGEST)(?:_[A-Z_]+)?(?::.*)? = ", re.M
)


def _sources(pattern: str) -> dict[str, str]:
    found = (path for package in PACKAGES for path in (ROOT / package).rglob(pattern))
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in found}


def test_no_function_of_a_script_is_named_by_a_bare_participle() -> None:
    """The scripts of pages and of the dashboard obey the same rule."""
    bare = [
        f"{path}: {name}"
        for path, text in _sources("*.js").items()
        for names in _SCRIPT_FUNCTION.findall(text)
        for name in names
        if name in PARTICIPLES
    ]
    assert "\n".join(bare) == ""


def test_bounds_are_called_max_and_min() -> None:
    """One word for each: MAX_PAGES, MIN_SCORE."""
    found = [
        f"{path}: {line.strip()}"
        for path, text in (_sources("*.js") | _sources("*.py")).items()
        for line in _SUPERLATIVE.findall(text)
    ]
    assert "\n".join(found) == ""


def test_digits_are_tested_with_isdecimal() -> None:
    """`isdecimal` is asked, never `isdigit`: that says yes to "²", which `int` refuses."""
    found = [
        f"{path}:{node.lineno}"
        for path, tree in _trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "isdigit"
    ]
    assert found == []


# Runs what pyppeteer's own listeners return, for code that drives its Page; the product has none.
ADAPTER = "daemon/ocd/browser/cdp/pyppeteer_adapter.py"


def test_background_work_belongs_to_a_task_group() -> None:
    """`create_task` is called on a TaskGroup."""
    strays = [
        f"{path}:{node.lineno} {ast.unparse(node)}"
        for path, tree in _trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "create_task"
        and path != ADAPTER
        and ast.unparse(node.func.value) not in {*_groups(tree), "self.group"}
    ]
    assert "\n".join(strays) == ""


def _groups(tree: ast.Module) -> set[str]:
    items = (
        item for node in ast.walk(tree) if isinstance(node, ast.AsyncWith) for item in node.items
    )
    opened = {
        ast.unparse(item.optional_vars)
        for item in items
        if item.optional_vars is not None and "TaskGroup" in ast.unparse(item.context_expr)
    }
    arguments = (node for node in ast.walk(tree) if isinstance(node, ast.arg) and node.annotation)
    return opened | {one.arg for one in arguments if "TaskGroup" in ast.unparse(one.annotation)}


def test_no_exception_is_swallowed() -> None:
    """`except Exception` logs the traceback or raises; `except BaseException` raises again."""
    dropped = []
    for path, tree in _trees().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ExceptHandler):
                continue
            caught = ast.unparse(node.type) if node.type else "BaseException"
            body = ast.unparse(ast.Module(node.body, []))
            again = any(isinstance(one, ast.Raise) and one.exc is None for one in ast.walk(node))
            if caught == "Exception" and ".exception(" not in body and not again:
                dropped.append(f"{path}:{node.lineno}")
            if "BaseException" in caught and "raise" not in body:
                dropped.append(f"{path}:{node.lineno}")
    assert "\n".join(dropped) == ""

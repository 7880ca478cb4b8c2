"""The rules of the scripts that run in pages."""

import ast
import json
import re
import subprocess
from functools import cache
from itertools import chain
from pathlib import Path

from ocd.browser import injected
from ocd.pages.engine import engine
from support import npm
from support.syntax_trees import IN_ONE_WORKER, tree_of

pytestmark = IN_ONE_WORKER

SCRIPTS = Path(injected.__file__).parent
# What asks a document, which may have an element of that name, for a property. `location` is safe.
_ASKS_A_DOCUMENT = re.compile(
    r"\b(?:document|doc|ownerDocument|contentDocument)\b\??\.(?!location\b)\w+"
    r"|\b(?:documentOf|rootNodeOf|innerDocument)\([^()]*\)\??\.\w+|\.getRootNode\(\)"
    r"|globalThis\.openchrome\b(?! =|,)"
)


@cache
def _scopes() -> dict[str, list[tuple[str, str]]]:
    """Return what scope analysis finds in the scripts: pairs of a file and a name."""
    parts = [[f"{SCRIPTS / name}.js" for name in part] for part in engine.PARTS]
    pool = [str(path) for path in sorted((SCRIPTS / "pool").glob("*.js"))]
    bundles = [{"files": part, "sees": list(chain(*parts[:at]))} for at, part in enumerate(parts)]
    bundles.append({"files": pool, "sees": parts[0]})
    bundles += [{"files": [str(path)], "sees": []} for path in (SCRIPTS / "tabs").glob("*.js")]
    run = subprocess.run(
        [str(npm.NODE), str(npm.HERE / "script_scopes.mjs")],
        input=json.dumps(bundles), capture_output=True, text=True, check=True, cwd=npm.installed(),
    )  # fmt: skip
    found: dict[str, list[tuple[str, str]]] = json.loads(run.stdout)
    return {kind: [(Path(file).stem, name) for file, name in ones] for kind, ones in found.items()}


def test_every_script_belongs_to_a_folder_that_is_checked() -> None:
    """A part of the engine, the pool's scripts, or one that runs alone."""
    folders = {path.parent.name for path in SCRIPTS.rglob("*.js")}
    assert folders == {name.split("/")[0] for name in chain(*engine.PARTS)} | {"pool", "tabs"}


def test_no_two_files_declare_the_same_name() -> None:
    """Two constants of a name are a syntax error, two functions silently the later one."""
    assert _scopes()["repeated"] == []


def test_a_script_uses_only_declared_names() -> None:
    """What it declares, what the parts before it declare, and what a browser has."""
    assert _scopes()["undeclared"] == []


def test_no_declared_name_is_unused() -> None:
    """What nothing uses is not sent into every page."""
    assert _scopes()["unused"] == []


def test_scripts_are_formatted() -> None:
    """`make format` does it."""
    assert npm.format_scripts(check=True) == ""


def test_no_script_reads_document_properties_that_a_page_can_shadow() -> None:
    """Elements named "body" or "querySelector" hide these: documents.js has them all the same."""
    sources = {path.name: path.read_text(encoding="utf-8") for path in SCRIPTS.rglob("*.js")}
    for path in SCRIPTS.parents[1].rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Constant) and re.search("=>|function ", str(node.value)):
                sources[f"{path.name}:{node.lineno}"] = str(node.value)
    found = [
        (name, line.strip())
        for name, source in sources.items()
        for line in source.splitlines()
        if _ASKS_A_DOCUMENT.search(line) and not line.lstrip().startswith("//")
    ]
    assert found == []


def test_no_script_asks_for_the_class_of_an_element() -> None:
    """Elements of a frame have the classes of its window: `instanceof` is false for them."""
    asked = [
        (path.stem, match[1])
        for path in SCRIPTS.rglob("*.js")
        for match in re.finditer(r"\binstanceof (\w+)", path.read_text("utf-8"))
    ]
    # An error of the script itself; a value that is turned into JSON in its own window.
    assert sorted(asked) == [("outline_walk", "RangeError"), ("to_json", "type")]


def test_labels_are_looked_up_once() -> None:
    """What an element says of its own labels costs as much as its document, for each element."""
    asked = re.compile(r"(?<!\bthis)\.labels\b")
    sources = {path.name: path.read_text(encoding="utf-8") for path in SCRIPTS.rglob("*.js")}
    assert [name for name, source in sources.items() if asked.search(source)] == []

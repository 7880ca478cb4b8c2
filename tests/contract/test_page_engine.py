"""The rules of the scripts that run in pages."""

import ast
import re
from collections import defaultdict
from itertools import chain
from pathlib import Path

from ocd.browser import injected
from ocd.pages.engine import engine
from support.syntax_trees import tree_of

SCRIPTS = Path(injected.__file__).parent
# What asks a document, which may have an element of that name, for a property. `location` is safe.
_ASKS_A_DOCUMENT = re.compile(
    r"\b(?:document|doc|ownerDocument|contentDocument)\b\??\.(?!location\b)\w+"
    r"|\b(?:ownerIn|rootIn|inside)\([^()]*\)\??\.\w+|\.getRootNode\(\)"
    r"|globalThis\.openchrome\b(?! =|,)"
)
_DECLARED = re.compile(r"^(?:const|let|class|(?:async )?function) +([\w$]+)", re.MULTILINE)


def test_no_two_files_declare_the_same_name() -> None:
    """Two constants of a name are a syntax error, two functions silently the later one."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in chain(*engine.PARTS):
        for declared in _DECLARED.findall((SCRIPTS / f"{name}.js").read_text(encoding="utf-8")):
            found[declared].append(name)
    assert {name: files for name, files in found.items() if len(files) > 1} == {}


def test_no_script_asks_a_document_for_what_the_page_can_hide() -> None:
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


def test_labels_are_asked_for_once() -> None:
    """What an element says of its own labels costs as much as its document, for each element."""
    asked = re.compile(r"(?<!\bthis)\.labels\b")
    sources = {path.name: path.read_text(encoding="utf-8") for path in SCRIPTS.rglob("*.js")}
    assert [name for name, source in sources.items() if asked.search(source)] == []


# Texts, expressions, and the names of methods.
_STRING = re.compile(
    r"//.*|'(?:[^'\\\n]|\\.)*'|(?<== )/.*/|^ +(?:get )?[\w$]+(?=\(.*\) \{$)", re.MULTILINE
)
_INNER = re.compile(r"^ +(?:const|let) ([\w$]+) =", re.MULTILINE)
# What is called, extended or made, and constants.
_USED = re.compile(
    r"(?<![\w$.])(?<!function )([a-z_$][\w$]*)\(|(?:extends|new) (\w+)"
    r"|(?<![\w$.])([A-Z][A-Z_]+)\b(?!:)"
)


def test_a_part_of_the_engine_uses_nothing_of_a_later_one() -> None:
    """It may be there alone."""
    texts = {
        name: _STRING.sub("", (SCRIPTS / f"{name}.js").read_text(encoding="utf-8"))
        for name in chain(*engine.PARTS)
    }
    declared = {name: set(_DECLARED.findall(text)) for name, text in texts.items()}
    found: list[tuple[str, set[str]]] = []
    for at, part in enumerate(engine.PARTS):
        later = {word for name in chain(*engine.PARTS[at + 1 :]) for word in declared[name]}
        for name in part:
            own = set(_INNER.findall(texts[name]))
            if wrong := set(chain(*_USED.findall(texts[name]))) & later - own:
                found.append((name, wrong))
    assert found == []

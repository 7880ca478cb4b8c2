"""The documents name what exists: paths, symbols, settings, commands, make targets, packages."""

import itertools
import pydoc
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from oc.help.typer_app import application
from ocd.cli.app import build
from ocd.config.settings import SETTINGS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = (
    "README.md", "ARCHITECTURE.md", "SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md",
    "fixtures/README.md",
)  # fmt: skip
SOURCES = ("daemon", "client", "mcp_bridge", "scripts", "tests/support", "tests/bench", ".github")
# Paths in the documents start at one of these.
BASES = (
    "",
    "daemon/ocd",
    "daemon/ocd/browser",
    "client",
    "mcp_bridge",
    "mcp_bridge/oc_mcp",
    "tests",
)
# What CHANGELOG says has gone, names of others' software, and a bad example.
ELSEWHERE = {
    "page_text_note", "pictures", "times", "told", "kept", "met", "v2", "MOST_", "MAX_",
    "claude_desktop_config.json", "mcp.json", "/mcp", "127.0.0.1", "_blank", "openchrome",
    "PYTHON=python3.12", "nc", "WatchdogSec", "EXCLUDE", "gather", "create_task", "ensure_future",
    ".example.com", "tools/list",
}  # fmt: skip

_FENCE = re.compile(r"^```\w*\n(.*?)^```", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"`([^`]+)`")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DOTTED = re.compile(r"[A-Za-z_][\w]*(\.[A-Za-z_]\w*)+")
_PATH = re.compile(r"~?[\w.<>…-]*(/[\w.<>…-]*)+|[\w.-]*\.(py|js|md|toml|jsonl?|log|lock|txt|svg)")
_ASSIGNMENT = re.compile(r"([a-z]\w*) ?= ?\S.*")  # a setting or a parameter with its value
_PROGRAMS = ("oc", "ocd", "oc-mcp", "make")


def _read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _spans() -> Iterator[tuple[str, str]]:
    """Yield every piece of code in running text, with its document; lines joined."""
    for document in DOCUMENTS:
        for found in _SPAN.finditer(_FENCE.sub("", _read(document))):
            yield document, " ".join(found[1].split())


def _commands() -> Iterator[tuple[str, str]]:
    """Yield the command lines of fenced blocks and of running text, with their document."""
    for document in DOCUMENTS:
        for block in _FENCE.findall(_read(document)):
            for line in block.splitlines():
                if line.partition(" ")[0] in _PROGRAMS:
                    yield document, re.split(" {3,}", line)[0]
    for document, span in _spans():
        if span.partition(" ")[0] in _PROGRAMS and " " in span:
            yield document, span


@cache
def _sources() -> str:
    files = (path for folder in SOURCES for path in (ROOT / folder).rglob("*") if path.is_file())
    suffixes = {"", ".py", ".js", ".json", ".md", ".txt"}
    texts = [path.read_text(encoding="utf-8") for path in files if path.suffix in suffixes]
    tests = [path.read_text(encoding="utf-8") for path in ROOT.glob("tests/*.py")]
    return "\n".join([*texts, *tests, _read("Makefile"), _read("pyproject.toml")])


@cache
def _words() -> frozenset[str]:
    return frozenset(_WORD.findall(_sources()))


@cache
def _modules() -> dict[str, Path]:
    """Return every module of ours and of tests/support by its dotted name."""
    found = {}
    for base in ("daemon", "client", "mcp_bridge", "tests"):
        for path in (ROOT / base).rglob("*.py"):
            parts = path.relative_to(ROOT / base).with_suffix("").parts
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


@cache
def _texts() -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in _modules().values()}


def _has_symbol(dotted: str) -> bool:
    """Return whether it names a module of ours, or something that a module or class of ours has."""
    head, _, attribute = dotted.rpartition(".")
    named = [path for name, path in _modules().items() if f".{name}".endswith(f".{dotted}")]
    holders = [
        path for name, path in _modules().items() if head and f".{name}".endswith(f".{head}")
    ]
    classes = [path for path, text in _texts().items() if f"class {head}" in text]
    inside = re.compile(rf"(?<!\w){re.escape(attribute)}(?!\w)")
    return bool(named) or any(inside.search(_texts()[path]) for path in (*holders, *classes))


def _has_path(path: str) -> bool:
    """Return whether a file or folder of the checkout has this path, or sources write it."""
    if any((ROOT / base / path).exists() for base in BASES):
        return True
    if any(
        list((ROOT / base).glob(f"{path}.*")) for base in BASES if not path.startswith(("/", "~"))
    ):
        return True
    # A file of the daemon's home, an address of its API: the sources have its last part.
    parts = [part for part in re.split(r"[/<>…]", path) if part]
    return not parts or parts[-1] in _sources()


def _exists(span: str) -> bool:
    """Return whether a piece of code names something that exists; anything else counts as prose."""
    if span in ELSEWHERE:
        return True
    bare = span.removesuffix("()").strip("[]")
    if _DOTTED.fullmatch(bare) and not _PATH.fullmatch(bare):
        return _has_symbol(bare) or bare in _sources() or pydoc.locate(bare) is not None
    if _PATH.fullmatch(span):
        return _has_path(span)
    if _WORD.fullmatch(bare):
        return bare in _words() or bare.removeprefix("OPENCHROME_").lower() in SETTINGS
    if assignment := _ASSIGNMENT.fullmatch(span):
        return assignment[1] in _words()
    if span.startswith("--"):
        flag = re.split("[ =]", span)[0]
        return flag.removeprefix("--").replace("-", "_") in _words() or flag in _sources()
    return True


def test_the_changelog_begins_with_this_version() -> None:
    """Which both distributions have."""
    versions = [
        tomllib.loads(_read(name))["project"]["version"]
        for name in ("pyproject.toml", "client/pyproject.toml")
    ]
    sections = re.findall(r"(?m)^## (\S+)", _read("CHANGELOG.md"))
    assert [sections[0], sections[0]] == versions


@pytest.mark.parametrize("document", DOCUMENTS)
def test_names_in_the_documents_exist(document: str) -> None:
    """Every path, module, symbol, setting, verb, error code and flag in backticks exists."""
    missing = {span for where, span in _spans() if where == document and not _exists(span)}
    assert "\n".join(sorted(missing)) == ""


def _alternatives(command: str) -> Iterator[list[str]]:
    """Yield the words of a command line, once for each `a|b|c` in it, without its comment."""
    words = shlex.split(command.replace("…", "X"), comments=True)
    choices = [
        word.split("|") if re.fullmatch(r"[a-z]+(\|[a-z]+)+", word) else [word] for word in words
    ]
    yield from (list(words) for words in itertools.product(*choices))


def _line_problem(command: Any, words: list[str]) -> str:  # noqa: ANN401 - typer's own
    """Return what of a command line a typer command does not know; an empty string if nothing."""
    options = set(_options(command))
    while words:
        word, words = words[0].partition("=")[0], words[1:]
        commands = getattr(command, "commands", {})
        if word.startswith("-") and word != "-":  # which is standard input
            if word not in options:
                return f"there is no option {word}"
        elif word in commands:
            command = commands[word]
            options |= set(_options(command))
        elif commands and word.isidentifier() and word.islower():
            return f"there is no command {word}"
    return ""


def _options(command: Any) -> Iterator[str]:  # noqa: ANN401 - typer's own
    yield "--help"
    for one in command.params:
        yield from (*one.opts, *one.secondary_opts)


def _problem(words: list[str]) -> str:
    program, rest = words[0], words[1:]
    if program == "make":
        return (
            "" if re.search(rf"^{rest[0]}:", _read("Makefile"), re.MULTILINE) else "no such target"
        )
    if program == "oc":
        return _line_problem(get_command(application(rest)), rest)
    if program == "ocd":
        return _line_problem(get_command(build()), rest)
    relay = _read("mcp_bridge/oc_mcp/__main__.py")
    return ", ".join(word for word in rest if word.startswith("--") and word not in relay)


def test_commands_in_the_documents_exist() -> None:
    """Every `oc`, `ocd`, `oc-mcp` and `make` line has a command and options that exist."""
    problems = {
        f"{document}: {' '.join(words)}: {problem}"
        for document, command in _commands()
        for words in _alternatives(command)
        if (problem := _problem(words))
    }
    assert "\n".join(sorted(problems)) == ""


@pytest.mark.parametrize("document", DOCUMENTS)
def test_relative_links_resolve(document: str) -> None:
    """Every relative link is a file."""
    links = re.findall(r"\]\(([^)#]+)\)", _read(document))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (ROOT / document).parent.joinpath(link).exists()] == []


def test_architecture_shows_every_room() -> None:
    """The tree has each folder of the daemon, and no folder that there is not."""
    tree = _FENCE.findall(_read("ARCHITECTURE.md"))[0]
    daemon, _, rest = tree.partition("client/oc/")
    shown = {
        name
        for name in re.findall(r"(?<![\w/])([a-z_]+)/", daemon)
        if name not in ("daemon", "ocd")
    }
    rooms = {path.name for base in ("ocd", "ocd/browser") for path in _folders(f"daemon/{base}")}
    assert shown == rooms
    assert {f"{path.name}/" for path in _folders("mcp_bridge/oc_mcp")} <= set(rest.split())


def _folders(base: str) -> list[Path]:
    inside = (ROOT / base).iterdir()
    return [path for path in inside if path.is_dir() and list(path.glob("__init__.py"))]


def test_architecture_has_the_layers_of_pyproject() -> None:
    """The order of the rooms is the contract's, top to bottom."""
    contracts = tomllib.loads(_read("pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = [layer.removeprefix("ocd.").strip("_") for layer in contracts[0]["layers"]]
    block = _FENCE.findall(_read("ARCHITECTURE.md"))[1]
    assert _WORD.findall(block.partition("(top")[0]) == layers[1:]


def test_architecture_lists_every_dependency() -> None:
    """The table of dependencies is that of pyproject.toml, in its order."""
    project = tomllib.loads(_read("pyproject.toml"))["project"]
    packages = [re.split("[<>=;! ]", line)[0] for line in project["dependencies"]]
    table = _read("ARCHITECTURE.md").partition("## Dependencies")[2]
    assert re.findall(r"^\| ([a-z0-9-]+) \|", table, re.MULTILINE)[1:] == packages

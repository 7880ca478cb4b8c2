"""Put the pages of the site together: Markdown that is written for it, included, or generated.

A line `{{ FILE }}` in a page of docs/pages stands for a document of the repository without its
title, `{{ FILE "Heading" }}` for one section of it, and `{{ figure "…" }}` for what
tests/bench/RESULTS.md says of it. So every text has one home.
"""

import re
from pathlib import Path, PurePosixPath
from posixpath import relpath

from documentation import reference

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "pages"
CONFIGURATION = ROOT / "docs" / "mkdocs.yml"
RESULTS = ROOT / "tests" / "bench" / "RESULTS.md"
# Where the site has what the repository's documents link to.
HOMES = {
    "README.md": "index.md", "VERBS.md": "verbs/index.md", "SETTINGS.md": "settings.md",
    "SECURITY.md": "security.md", "ARCHITECTURE.md": "architecture.md",
    "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md",
    "tests/bench/RESULTS.md": "measurements.md", "client/README.md": "python.md",
}  # fmt: skip
_INCLUDE = re.compile(r'^\{\{ (?P<file>[\w./-]+)(?: "(?P<heading>[^"\n]+)")? \}\}$', re.MULTILINE)
_FIGURE = re.compile(r'\{\{ figure "(?P<what>[^"\n]+)" \}\}')
_LINK = re.compile(r"\]\((?P<target>[^()\s#]+)(?P<anchor>#[^()\s]*)?\)")
_HEADING = re.compile(r"(?P<marks>#+) +(?P<title>.+)")


def compose() -> dict[str, str]:
    """Return every page of the site as Markdown, by its path."""
    written = {
        path.relative_to(PAGES).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(PAGES.rglob("*.md"))
    }
    figures = measured()
    composed = {page: _composed(page, text, figures) for page, text in written.items()}
    return {**composed, **reference.pages()}


def measured() -> dict[str, str]:
    """Return every figure of the benchmarks by its words; the first where words come twice."""
    rows = re.findall(r"(?m)^\| ([^|]+) \| ([^|]+) \|", RESULTS.read_text(encoding="utf-8"))
    return dict(reversed(rows))


def _composed(page: str, text: str, figures: dict[str, str]) -> str:
    text = _FIGURE.sub(lambda found: figures[found["what"]], text)
    return _INCLUDE.sub(lambda found: _included(found, page), text)


def llms_txt(pages: dict[str, str]) -> str:
    """Return llms.txt: every page with its title and what it is about."""
    lines = [
        "# OpenChrome", "",
        "> A browser daemon for AI agents: one Chromium, driven by MCP tools and the command `oc`.",
        "> Large results become handles, long work becomes tasks that survive a crash.", "",
        "## Documentation", "",
    ]  # fmt: skip
    return "\n".join([*lines, *(_entry(path, pages[path]) for path in in_order(pages))]) + "\n"


def in_order(pages: dict[str, str]) -> list[str]:
    """Return the pages as the navigation has them."""
    written = re.findall(r"- (\S+\.md)$", configuration(), re.MULTILINE)
    return [path for path in written if path in pages]


def configuration() -> str:
    """Return the configuration of MkDocs, with the generated pages in its navigation."""
    mark = "          # the pages of verbs\n"
    entries = "".join(f"          - {path}\n" for path in reference.verb_pages())
    return CONFIGURATION.read_text(encoding="utf-8").replace(mark, entries)


def _entry(path: str, text: str) -> str:
    paragraph = next((one for one in text.split("\n\n")[1:] if one[:1].isalpha()), "")
    about = re.split(r"[.;:](?: |$)", " ".join(paragraph.split()))[0]
    return f"- [{title_of(text)}]({path}): {about}"


def title_of(text: str) -> str:
    """Return a page's title."""
    return text.partition("\n")[0].removeprefix("# ")


def _included(found: re.Match[str], page: str) -> str:
    file, heading = found["file"], found["heading"]
    text = (ROOT / file).read_text(encoding="utf-8")
    body = section(text, heading) if heading else text.partition("\n")[2]
    return _LINK.sub(lambda link: _relinked(link, file, page), body.strip("\n"))


def section(text: str, heading: str) -> str:
    """Return what stands below a heading, until the next of its level or above."""
    lines, depth, inside, fenced = [], 0, False, False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        found = None if fenced else _HEADING.fullmatch(line)
        if found and inside and len(found["marks"]) <= depth:
            break
        if inside:
            lines.append(line)
        elif found and found["title"] == heading:
            inside, depth = True, len(found["marks"])
    if not inside:
        raise SystemExit(f"There is no section {heading!r}")
    return "\n".join(lines)


def _relinked(link: re.Match[str], file: str, page: str) -> str:
    target, anchor = link["target"], link["anchor"] or ""
    if "://" in target:
        return link[0]
    document = PurePosixPath(relpath((PurePosixPath(file).parent / target).as_posix()))
    home = HOMES.get(document.as_posix())
    if home is None:
        raise SystemExit(f"{file} links to {target}, which the site does not have")
    return f"]({relpath(home, PurePosixPath(page).parent)}{anchor})"

"""A crawl as a folder of Markdown files, with front matter and links between the files."""

import json
import posixpath
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote, urldefrag, urlsplit

from ocd.crawl.archive.kept_files import FILE_KINDS
from ocd.crawl.export.pages import Pages
from ocd.crawl.frontier.url_set import UrlSet
from ocd.storage.files import storage

_PAGE_SUFFIXES = (".html", ".htm", ".xhtml", ".php", ".asp", ".aspx", ".md")
_NAME_LENGTH = 80
# Longer targets are not URLs of pages; this keeps the search for their end linear.
_TARGET_LENGTH = 8192
_MATTER = ("url", "title", "fetched_at", "depth")
# Pictures and PDFs; no host has this name.
FILES = "_files"


def write(folder: Path, pages: Pages) -> tuple[int, int]:
    """Write a file for each page that could be read; return their number and total size."""
    files = _Files(pages.read())
    written = size = 0
    with storage("writing", folder):
        folder.mkdir()
        for record in pages.read():
            place = files.find(record["url"])
            assert place is not None, record["url"]
            target = folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            text = _front_matter(record, place) + relink(str(record["content"]), place, files.find)
            size += target.write_bytes(text.rstrip("\n").encode() + b"\n")
            written += 1
    return written, size


class _Files:
    """The file of each page: host and path as folders, no two the same.

    Most names follow from the address and are not stored: they would take 20 bytes a page.
    """

    def __init__(self, pages: Iterable[dict[str, Any]]) -> None:
        self._named_by_url = UrlSet()
        self._others: dict[str, str] = {}
        taken = UrlSet()
        for record in pages:
            url, final_url = record["url"], record["final_url"]
            path = _place(url)
            place = _free(path, url, taken)
            if place == path:
                self._named_by_url.add(url)
            else:
                self._others[url] = place
            if final_url != url:
                self._others.setdefault(final_url, place)

    def find(self, url: str) -> str | None:
        """Return the path in the folder of the page at this address, if it has a file."""
        return _place(url) if url in self._named_by_url else self._others.get(url)


def _place(url: str) -> str:
    parts = urlsplit(url)
    names = [name for name in map(_safe, unquote(parts.path).split("/")) if name]
    if not names or parts.path.endswith("/"):
        names.append("index")
    stem, suffix = posixpath.splitext(names[-1])
    names[-1] = stem if stem and suffix.lower() in _PAGE_SUFFIXES else names[-1]
    if parts.fragment:
        names[-1] += f"~{_safe(parts.fragment)}"
    if parts.query:
        names[-1] += f"~{_digest(parts.query)}"
    return f"{PurePosixPath(_safe(parts.netloc) or 'files', *names)}.md"


def _free(place: str, url: str, used: UrlSet) -> str:
    # Case is ignored, as some file systems ignore it.
    if place.lower() in used:
        place = f"{place.removesuffix('.md')}~{_digest(url)}.md"
    used.add(place.lower())
    return place


def _safe(name: str) -> str:
    safe = "".join(char if char.isalnum() or char in "._-~" else "-" for char in name)
    return safe[:_NAME_LENGTH].strip(".-")


def _digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _front_matter(record: dict[str, Any], place: str) -> str:
    # Strings and numbers in JSON are valid YAML, too.
    fields = {key: record[key] for key in _MATTER}
    for kind in sorted(FILE_KINDS & record.keys()):
        fields[kind] = posixpath.relpath(record[kind], posixpath.dirname(place) or ".")
    lines = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items()]
    return "\n".join(["---", *lines, "---", "", ""])


def relink(text: str, place: str, find: Callable[[str], str | None]) -> str:
    """Return Markdown whose links to pages in the folder are relative paths; code is unchanged."""
    here = posixpath.dirname(place)

    def relative(target: str) -> str:
        url, fragment = urldefrag(target)
        found = find(target) if fragment else None
        if found is not None:
            fragment = ""
        else:
            found = find(url)
        if found is None:
            return target
        # With absolute paths it need not ask for the working directory.
        path = quote(posixpath.relpath(f"/{found}", f"/{here}"), safe="/~.-_")
        return f"{path}#{fragment}" if fragment else path

    fence = ""
    lines = []
    for line in text.split("\n"):
        mark = line.lstrip(" >")[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        lines.append(line if fence or "](" not in line else "".join(_parts(line, relative)))
    return "\n".join(lines)


def _parts(line: str, relative: Callable[[str], str]) -> Iterator[str]:
    """Yield a line in pieces, with the targets of its inline links replaced."""
    at = 0
    while (found := line.find("](", at)) >= 0:
        start = found + 2 + line.startswith("<", found + 2)
        end = _target_end(line, start)
        yield line[at:start]
        yield relative(line[start:end])
        at = end
    yield line[at:]


def _target_end(line: str, start: int) -> int:
    """Return where a link's target ends: at white space, or at an unmatched bracket."""
    depth = 0
    for position in range(start, min(len(line), start + _TARGET_LENGTH)):
        char = line[position]
        if char.isspace() or char == ">" or (char == ")" and not depth):
            return position
        if char == "(" and line[position - 1] == "]":
            return start  # the next link begins, so this was not one
        depth += (char == "(") - (char == ")")
    return start

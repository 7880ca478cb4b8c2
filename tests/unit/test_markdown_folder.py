"""The files of an exported crawl: their names, and the links between them."""

import json
from pathlib import Path
from typing import Any

import pytest

from ocd.crawl.export import markdown_folder
from ocd.crawl.export.pages import Pages

SITE = "https://x.org"


def record(path: str, content: str = "") -> dict[str, Any]:
    url = f"{SITE}{path}"
    about = {"title": "T", "fetched_at": "2026-01-01T00:00:00.000Z", "depth": 0}
    return {"url": url, "final_url": url, "content": content, **about}


def write(folder: Path, *records: dict[str, Any]) -> dict[str, str]:
    rows = [json.dumps(one).encode() for one in records]
    target = folder / "out"
    assert markdown_folder.write(target, Pages(rows))[0] == len(records)
    found = {str(file.relative_to(target)): file.read_text() for file in target.rglob("*.md")}
    return {name: text.split("\n---\n", 1)[1].strip("\n") for name, text in found.items()}


def test_file_names_are_unique_and_inside_the_folder(tmp_path: Path) -> None:
    """No two files share a name on any file system, and none is outside the folder."""
    paths = [
        "/",
        "/a/",
        "/a/b.html",
        "/a/B.html",
        "/a/b",
        "/a?page=2",
        "/a/../../etc/x",
        "/%2e%2e/y",
    ]
    paths += ["/a%2Fb", "/con cept/ü.php", "/" + "long" * 60, "/v1.2"]
    found = write(tmp_path, *map(record, paths))
    assert len({name.lower() for name in found}) == len(paths)
    assert {"x.org/index.md", "x.org/a/index.md", "x.org/a/b.md", "x.org/v1.2.md"} <= set(found)
    assert "x.org/con-cept/ü.md" in found
    assert all(name.startswith("x.org/") and ".." not in name for name in found)


@pytest.mark.parametrize(
    ("given", "written"),
    [
        (f"[b]({SITE}/d/b.html)", "[b](d/b.md)"),
        (f"[b]({SITE}/d/b.html#part) and [c]({SITE}/c)", f"[b](d/b.md#part) and [c]({SITE}/c)"),
        (f'[b]({SITE}/d/b.html "Title")', '[b](d/b.md "Title")'),
        (f"![picture]({SITE}/d/b.html)", "![picture](d/b.md)"),
        (f"[f(x)]({SITE}/f(x))", "[f(x)](f-x.md)"),
        (f"[b](<{SITE}/d/b.html>)", "[b](<d/b.md>)"),
        (f"```\n[b]({SITE}/d/b.html)\n```", f"```\n[b]({SITE}/d/b.html)\n```"),
        ("[open](", "[open]("),
        ("[b](#part)", "[b](#part)"),
        (f"[new]({SITE}/moved)", "[new](d/old.md)"),
    ],
)
def test_links_within_the_folder_become_relative_paths(
    tmp_path: Path, given: str, written: str
) -> None:
    old = record("/d/old.html") | {"final_url": f"{SITE}/moved"}
    found = write(tmp_path, record("/", given), record("/d/b.html"), record("/f(x)"), old)
    assert found["x.org/index.md"] == written


def test_hash_routes_are_files(tmp_path: Path) -> None:
    """A route of an application has a file of its own, and links lead to it."""
    content = f"[a]({SITE}/app#/a) [part]({SITE}/app#part) [b]({SITE}/app#/b)"
    found = write(tmp_path, record("/app", content), record("/app#/a"))
    assert found["x.org/app.md"] == "[a](app~a.md) [part](app.md#part) [b](app.md#/b)"


def test_links_to_parent_folders(tmp_path: Path) -> None:
    content = f"[up]({SITE}/) [self]({SITE}/d/e/f.html#x)"
    found = write(tmp_path, record("/"), record("/d/e/f.html", content))
    assert found["x.org/d/e/f.md"] == "[up](../../index.md) [self](f.md#x)"


def test_many_brackets_cost_linear_time() -> None:
    """Every `](` opens a target that never ends."""
    text = "](" * 100_000
    assert markdown_folder.relink(text, "a/b.md", lambda _url: None) == text

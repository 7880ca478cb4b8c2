"""Build the site: `python -m documentation [FOLDER]`; `make docs` does it.

The composed Markdown lies in FOLDER/pages, the site in FOLDER/site, each page with its Markdown
beside it, and llms.txt.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from documentation.composition import PAGES, ROOT, compose, configuration, llms_txt


def main() -> None:
    """Compose the pages and build the site, strictly."""
    parser = argparse.ArgumentParser(prog="documentation", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=ROOT / "build" / "docs")
    folder = parser.parse_args().folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    pages = compose()
    write(folder / "pages", pages)
    site = folder / "site"
    build(folder, site)
    write(site, {**pages, "llms.txt": llms_txt(pages)})
    print(site / "index.html")


def write(folder: Path, files: dict[str, str]) -> None:
    """Write texts by their path below a folder."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


def build(folder: Path, site: Path) -> None:
    """Let MkDocs make the site; warnings are errors."""
    for assets in ("scripts", "stylesheets"):
        shutil.copytree(PAGES / assets, folder / "pages" / assets)
    shutil.copy(ROOT / "docs" / "picture.svg", folder / "pages" / "picture.svg")
    write(folder, {"mkdocs.yml": configuration()})
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--config-file",
         folder / "mkdocs.yml", "--site-dir", site],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()

"""Crawl a site and write one Markdown file for each page: crawl_to_folder.py URL FOLDER."""

import sys
from pathlib import Path

from openchrome import connect


def main(url: str, folder: Path) -> None:
    """Crawl the site as a task, follow its progress, and write the pages."""
    folder.mkdir(parents=True, exist_ok=True)
    with connect(session="crawl-to-folder") as browser:
        task = browser.start.crawl(url, max_pages=100, max_depth=5)
        for event in task:
            print(event.kind, event.data.get("n", ""))
        pages = task.wait()["pages"]
    for number, page in enumerate(pages):
        (folder / f"{number:04}.md").write_text(f"# {page['title']}\n\n{page['content']}\n")
    print(f"{len(pages)} pages in {folder}")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

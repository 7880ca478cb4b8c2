"""A documentation tree crawled again: nothing has changed, then one page has."""

import argparse
import shutil
import tempfile
from pathlib import Path
from typing import Any

from bench.daemon import Daemon
from bench.documents import ALL, TREE, read_pages
from bench.figures import Section
from bench.process_tree import ProcessTree
from field.packages import unpack, version_of
from field.servers import Server
from field.trees import TREES
from field.truth import normalise

CHANGED = "acronyms.html"


class Recrawler:
    """Crawls of one site by one daemon, each compared with the one before it."""

    def __init__(self, daemon: Daemon, server: Server, start: str) -> None:
        self.daemon, self.server, self.start = daemon, server, start
        self.task = ""

    def crawl(self, out: Path) -> tuple[dict[str, Any], dict[str, dict[str, str]], int, float]:
        """Return the summary, the pages, the bytes that the server sent, and CPU seconds."""
        sent = self.server.sent_bytes()
        with ProcessTree(self.daemon.process) as before:
            pass
        with ProcessTree(self.daemon.process) as tree:
            args = {"url": self.start, "compare_to": self.task, **ALL}
            self.task = self.daemon.call("oc_task_start", kind="crawl", args=args)["task_id"]
            self.daemon.call("oc_task_wait", task_id=self.task, timeout_ms=600_000)
        sent = self.server.sent_bytes() - sent
        self.daemon.call("oc_task_export", task_id=self.task, path=str(out), format="jsonl")
        answer = self.daemon.call("oc_task_get", task_id=self.task, include_result=True)
        summary = answer["result"]["summary"]
        return summary, read_pages(out, "content"), sent, tree.cpu_s - before.cpu_s


def unchanged_site(_options: argparse.Namespace) -> Section:
    """Crawl the tree, crawl it again, change one page, crawl it once more."""
    tree = TREES[TREE]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)  # for the server, which runs as nobody
        site = folder / "site"
        shutil.copytree(unpack(tree.package) / tree.folder, site)
        with Server(tree.server, site) as server, Daemon() as daemon:
            crawls = Recrawler(daemon, server, server.url(tree.start))
            _, first, sent, cpu_s = crawls.crawl(folder / "1.jsonl")
            same, second, sent_again, cpu_again_s = crawls.crawl(folder / "2.jsonl")
            page = site / CHANGED
            text = page.read_text(encoding="utf-8")
            page.write_text(text.replace("</body>", "<p>A new line.</p></body>"), encoding="utf-8")
            one, third, _, _ = crawls.crawl(folder / "3.jsonl")
            changed = normalise(server.url(CHANGED))
    assert second == first
    assert "A new line." in third[changed]["markdown"]
    assert {**third, changed: first[changed]} == first
    assert one["compared"]["changed"] == 1
    assert one["compared"]["unchanged"] == len(first) - 1
    section = Section(f"A documentation tree again ({TREE} {version_of(tree.package)})")
    section.add("recrawl: pages", len(first), "")
    section.at_least("recrawl: unchanged", same["compared"]["unchanged"] / len(first), 1)
    section.at_most("recrawl: bytes sent, second / first", sent_again / sent, 0.1)
    section.at_most("recrawl: CPU, second / first", cpu_again_s / cpu_s, 1)
    section.add(
        "recrawl: one page changed: pages found to be changed", one["compared"]["changed"], ""
    )
    return section

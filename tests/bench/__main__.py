"""`make bench`: ours, the peers and the floor in one run, as ratios, into RESULTS.md.

Every section starts what it measures, interleaves the sides where they compete for the machine,
and takes medians. Peers are installed on first use (see `peers`); `--no-peers` leaves them out,
`--only NAME` runs single sections: `PYTHONPATH=tests python -m bench --only calls`.
"""

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench import (
    calls,
    clusters,
    crawls,
    dashboards,
    documents,
    exports,
    frontiers,
    gateway,
    long_crawls,
    mcp,
    notes,
    pages,
    recordings,
    recrawls,
    slow_servers,
    spills,
    stores,
    turns,
)
from bench.figures import Section

HERE = Path(__file__).parent
SECTIONS: dict[str, Callable[[argparse.Namespace], Section]] = {
    "browser": crawls.browser_engine,
    "static": crawls.static_engine,
    "documents": documents.over_http,
    "documents-browser": documents.in_browser,
    "recrawl": recrawls.unchanged_site,
    "slow": slow_servers.slow,
    "steady": crawls.steady_memory,
    "cluster": clusters.scaled,
    "frontier": frontiers.scale,
    "long": long_crawls.flat,
    "export": exports.memory,
    "calls": calls.latencies,
    "start": calls.client_start,
    "idle": calls.idle_daemon,
    "mcp-start": mcp.start,
    "mcp-tools": mcp.surface,
    "mcp-calls": mcp.operations,
    "mcp-many": mcp.many,
    "pages": pages.verbs,
    "gateway": gateway.overhead,
    "ledger": stores.ledger_scale,
    "handles": stores.handle_scale,
    "spill": spills.spill,
    "recording": recordings.cost,
    "dashboard": dashboards.watching,
    "notes": notes.scale,
    "turns": turns.longest,
}


def machine() -> str:
    """Return one line that describes the machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores, {memory:.0f} GiB, {platform.system()}, "
        f"Python {platform.python_version()}, load {os.getloadavg()[0]:.1f} at the start"
    )


def write(sections: list[Section], options: argparse.Namespace, where: str) -> None:
    """Write RESULTS.md: update the sections that ran; the others keep their figures and dates."""
    path = HERE / "RESULTS.md"
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    kept = {part.split("\n", 1)[0]: part for part in old.split("\n## ")[1:]}
    date = time.strftime("%Y-%m-%d")
    for section in sections:
        note = f"{date}, `{' '.join(['python -m bench', *options.shown])}`. {where}."
        kept[section.title] = f"{section.title}\n\n{note}\n\n{section.table()}\n"
    head = (
        "# Measured\n\nRatios within one run on one machine; absolute figures move with the "
        "machine, ratios hardly.\nTake them again: `make bench`.\n"
    )
    body = "".join(f"\n## {part.rstrip()}\n" for part in kept.values())
    path.write_text(head + body, encoding="utf-8")


def main() -> None:
    """Run the requested sections, print each, and write RESULTS.md."""
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--only", action="append", choices=SECTIONS, default=None)
    parser.add_argument("--no-peers", dest="peers", action="store_false")
    parser.add_argument("--no-write", dest="write", action="store_false", help="print only")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    # Without compiled modules every start-up figure, ours and the peers', would be another one.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    options.shown = sys.argv[1:]
    where = machine()
    done = []
    for name in options.only or SECTIONS:
        section = SECTIONS[name](options)
        print(f"\n{section.title}\n{section.table()}", flush=True)
        done.append(section)
        if options.write:
            write(done, options, where)


if __name__ == "__main__":
    main()

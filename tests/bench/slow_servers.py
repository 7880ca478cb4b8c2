"""Crawls of a server that takes 200 ms for each answer, with robots.txt obeyed and without."""

import argparse
import sys

from bench.crawls import TABS, rate, run_alone, run_ours, site
from bench.daemon import Daemon
from bench.figures import Section, median

DELAY_MS = 200
STATIC_PAGES = 1200
BROWSER_PAGES = 150
AT_ONCE = 16
WAYS = {"robots.txt obeyed": True, "without robots.txt": False}


def slow(options: argparse.Namespace) -> Section:
    """Crawl with both engines in turns, and with the browser's floor."""
    section = Section(f"A server that takes {DELAY_MS} ms")
    static: dict[str, list[float]] = {way: [] for way in WAYS}
    browser: dict[str, list[float]] = {way: [] for way in (*WAYS, "floor")}
    delay = ("--delay-ms", str(DELAY_MS))
    with site(STATIC_PAGES, 20_000, *delay) as base, Daemon() as daemon:
        daemon.call("tabs_create")
        for _ in range(options.rounds):
            for way, robots in WAYS.items():
                shared = {"respect_robots": robots}
                run = run_ours(
                    daemon, base, STATIC_PAGES, engine="static", concurrency=AT_ONCE, **shared
                )
                static[way].append(rate(run))
                run = run_ours(
                    daemon, base, BROWSER_PAGES, engine="browser", concurrency=TABS, **shared
                )
                browser[way].append(rate(run))
            run = run_alone(sys.executable, "floor_cdp.py", base, BROWSER_PAGES)
            browser["floor"].append(rate(run))
    floor = median(browser["floor"])
    for way in WAYS:
        figure = median(static[way])
        section.at_least(f"slow, static, {AT_ONCE} at once, {way}", figure, 60, "pages/s")
    section.add(f"slow, floor: raw CDP, {TABS} tabs", floor, "pages/s")
    for way in WAYS:
        section.add(f"slow, browser, {TABS} tabs, {way}", median(browser[way]), "pages/s")
        figure = median(browser[way]) / floor
        section.at_least(f"slow, browser / floor, {way}", figure, 0.95)
    return section

"""What being recorded costs a call, and how long a long recording takes to export."""

import argparse
import json
import statistics
import time
from collections.abc import Mapping
from pathlib import Path

from bench.daemon import Daemon
from bench.figures import Section

PAGE = (
    "data:text/html,<title>x</title><p>hello<p><label>Name <input></label><button "
    'onclick="this.nextSibling.data = +this.nextSibling.data + 1">Count</button>0'
)
CALLS: Mapping[str, tuple[int, Mapping[str, object]]] = {
    "javascript_tool": (800, {"code": "1+1"}),
    "read_page": (300, {}),
    "form_input": (160, {"query": "Name", "value": "Kim"}),
    "interact": (120, {"query": "Count"}),
    "navigate": (60, {"url": PAGE}),
}
ACTIONS = 10_000
# Calls in one turn.
BLOCK = 20


def cost(options: argparse.Namespace) -> Section:
    """Compare the same calls while a session is recorded and while it is not."""
    section = Section("Recording")
    with Daemon() as daemon:
        daemon.call("navigate", url=PAGE)
        for verb, (times, params) in CALLS.items():
            plain, recorded = _in_turns(daemon, verb, params, times)
            section.add(verb, plain, "ms")
            section.at_most(f"{verb}, recorded / not", recorded / plain, 1.05)
        _export(daemon, section)
    return section


def _in_turns(
    daemon: Daemon, verb: str, params: Mapping[str, object], times: int
) -> tuple[float, float]:
    """Return the quicker quarter's bound of both: what else the machine does is in the others."""
    taken: dict[bool, list[float]] = {False: [], True: []}
    while len(taken[True]) < times:
        for recorded in (False, True):
            if recorded:
                daemon.call("oc_recording_start")
            _timed(daemon, verb, params, 2)
            taken[recorded] += _timed(daemon, verb, params, BLOCK)
            if recorded:
                daemon.call("oc_recording_stop")
    plain, recorded_ = (statistics.quantiles(taken[one], n=4)[0] for one in (False, True))
    return plain, recorded_


def _timed(daemon: Daemon, verb: str, params: Mapping[str, object], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        daemon.call(verb, **params)
        taken.append((time.perf_counter() - started) * 1000)
    return taken


def _export(daemon: Daemon, section: Section) -> None:
    """Make the recording longer by repeating its lines, and export it in every format."""
    daemon.call("oc_recording_start")
    for verb, (_, params) in CALLS.items():
        daemon.call(verb, **params)
    stopped = daemon.call("oc_recording_stop")
    folder = Path(daemon.home, "recordings", str(stopped["recording_id"]))
    lines = (folder / "actions.jsonl").read_bytes().splitlines()
    kept = [line for line in lines if b'"verb"' in line]
    many = [json.loads(kept[number % len(kept)]) | {"seq": number + 1} for number in range(ACTIONS)]
    (folder / "actions.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in many))
    for form in ("json", "html", "python_pyppeteer", "python_playwright", "plan"):
        path = str(Path(daemon.home, "files", form))
        Path(path).parent.mkdir(exist_ok=True)
        started = time.perf_counter()
        daemon.call("oc_recording_export", format=form, path=path)
        section.at_most(f"export of 10,000 as {form}", time.perf_counter() - started, 3, "s")

"""Every policy on its page, with several seeds; the verdict is the page's own reward."""

from __future__ import annotations

import functools
import http.server
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from field.miniwob import clicks, dates, fields, games, gestures, mail  # noqa: F401
from field.miniwob.episode import Episode, NeedsEyesError
from field.miniwob.policies import POLICIES
from field.packages import install_python
from support.daemon import Daemon

SEEDS = (1, 2, 3)
LEAST = 0.99  # share of episodes that must be done


class _Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Keep quiet."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port of 127.0.0.1 and yield its address."""
    handler = functools.partial(_Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def run(names: list[str]) -> int:
    """Run the tasks, all if none is named; print what failed and the share of what did not."""
    folder = install_python("miniwob") / "miniwob" / "html"
    done = failed = 0
    with serving(folder) as address, Daemon() as daemon:
        for task in names or sorted(POLICIES):
            for seed in SEEDS:
                fault = _try(daemon, f"{address}/miniwob/{task}.html", task, seed)
                done, failed = done + (fault == ""), failed + bool(fault)
                if fault:
                    print(f"{task} seed {seed}: {fault}", file=sys.stderr, flush=True)
    share = done / (done + failed)
    print(
        f"miniwob: {done} of {done + failed} episodes ({share:.1%}), {len(names or POLICIES)} tasks"
    )
    return 0 if share >= LEAST else 1


def _try(daemon: Daemon, url: str, task: str, seed: int) -> str | None:
    """Return what went wrong: "" for the full reward, None if it cannot be done without eyes."""
    try:
        episode = Episode(daemon, url, seed)
        POLICIES[task](episode)
    except NeedsEyesError:
        return None
    except (AssertionError, LookupError, ValueError) as error:
        return f"{type(error).__name__}: {str(error)[:1500]}"
    reward = episode.reward()
    return "" if reward >= 1 else f"reward {reward}: {episode.instruction}\n{episode.outline()}"

"""Every task in its application, by this checkout and by another beside it."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from field.tasks import jupyterlab, node_red, sqlite_web, tiddlywiki, wagtail
from field.tasks.agent import Agent, Cost
from field.tasks.applications import (
    Application,
    JupyterLab,
    NodeRed,
    SqliteWeb,
    TiddlyWiki,
    Wagtail,
)
from support.daemon import SCRIPTS, Home

Task = Callable[[Agent, Any], None]
APPLICATIONS: dict[str, tuple[type[Application], tuple[Task, ...]]] = {
    "wagtail": (Wagtail, wagtail.TASKS),
    "tiddlywiki": (TiddlyWiki, tiddlywiki.TASKS),
    "jupyterlab": (JupyterLab, jupyterlab.TASKS),
    "sqlite-web": (SqliteWeb, sqlite_web.TASKS),
    "node-red": (NodeRed, node_red.TASKS),
}
# Where the commands of another checkout are, to compare with.
BESIDE = "FIELD_BESIDE"


def run(names: list[str]) -> int:
    """Do the tasks, print what each costs, return 1 if ours fails at one."""
    trees = {"this": SCRIPTS}
    if os.environ.get(BESIDE):
        trees["beside"] = Path(os.environ[BESIDE])
    failed = {tree: _try_all(tree, scripts, names) for tree, scripts in trees.items()}
    return int(failed["this"] > 0)


def _try_all(tree: str, scripts: Path, names: list[str]) -> int:
    """Do the tasks with one checkout's commands; return how many failed."""
    faults: list[str] = []
    total = Cost()
    for name in names or APPLICATIONS:
        kind, tasks = APPLICATIONS[name]
        home = Home()
        home.environ["PATH"] = f"{scripts}{os.pathsep}{os.environ['PATH']}"
        agent = Agent(scripts, home)
        try:
            with kind() as application:
                for task in tasks:
                    agent.begin()
                    fault = _try(task, agent, application)
                    faults.append(fault)
                    total += agent.cost
                    print(f"{tree}: {name} {task.__name__}: {agent.cost} {fault}", flush=True)
        finally:
            agent.stop()
            home.end_leftovers()
            home.remove()
    failed = sum(map(bool, faults))
    print(f"tasks by {tree}: {len(faults) - failed} of {len(faults)}, {total}", file=sys.stderr)
    return failed


def _try(task: Task, agent: Agent, application: Application) -> str:
    """Return what went wrong, "" if the application has what was to be done."""
    try:
        task(agent, application)
    except AssertionError:
        return traceback.format_exc(limit=-3)[:1500]
    return ""

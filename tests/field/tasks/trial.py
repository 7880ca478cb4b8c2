"""Every task in its application, by this checkout, by another, and by other tools beside it."""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from field.tasks import gradio_form, jupyterlab, node_red, sqlite_web, tiddlywiki, wagtail
from field.tasks.agent import Agent, Cost, Shell
from field.tasks.applications import (
    Application,
    Gradio,
    JupyterLab,
    NodeRed,
    SqliteWeb,
    TiddlyWiki,
    Wagtail,
)
from field.tasks.rivals import RIVALS
from support.daemon import SCRIPTS, Home

Task = Callable[[Any, Any], None]  # of an `Agent` or a `Rival`, and of an `Application`
APPLICATIONS: dict[str, tuple[type[Application], tuple[Task, ...]]] = {
    "wagtail": (Wagtail, wagtail.TASKS),
    "tiddlywiki": (TiddlyWiki, tiddlywiki.TASKS),
    "jupyterlab": (JupyterLab, jupyterlab.TASKS),
    "sqlite-web": (SqliteWeb, sqlite_web.TASKS),
    "node-red": (NodeRed, node_red.TASKS),
    "gradio": (Gradio, gradio_form.TASKS),
}
# Where the commands of another checkout are, to compare with.
BESIDE = "FIELD_BESIDE"
# The commands of other tools that do the same: `agent-browser playwright-cli`.
OTHERS = "FIELD_RIVALS"


def run(names: list[str]) -> int:
    """Do the tasks, print what each costs, return 1 if ours fails at one."""
    tools: dict[str, Callable[[Home], Any]] = {"this": lambda home: Agent(SCRIPTS, home)}
    if os.environ.get(BESIDE):
        beside = Path(os.environ[BESIDE])
        tools["beside"] = lambda home: Agent(beside, home)
    for command in os.environ.get(OTHERS, "").split():
        if shutil.which(command):
            tools[command] = RIVALS[command]
        else:
            print(f"left out: {command} is not installed", file=sys.stderr)
    failed = {name: _try_all(name, tool, names) for name, tool in tools.items()}
    return int(failed["this"] > 0)


def _try_all(tool: str, make: Callable[[Home], Any], names: list[str]) -> int:
    """Do the tasks with one tool; return how many failed."""
    faults: list[str] = []
    total = Cost()
    for name in names or APPLICATIONS:
        kind, tasks = APPLICATIONS[name]
        home = Home()
        agent = make(home)
        try:
            with kind() as application:
                for task in tasks:
                    agent.begin()
                    fault = _try(task, agent, application)
                    faults.append(fault)
                    total += agent.cost
                    print(f"{tool}: {name} {task.__name__}: {agent.cost} {fault}", flush=True)
        finally:
            agent.stop()
            home.end_leftovers()
            home.remove()
    failed = sum(map(bool, faults))
    print(f"tasks by {tool}: {len(faults) - failed} of {len(faults)}, {total}", file=sys.stderr)
    return failed


def _try(task: Task, agent: Shell, application: Application) -> str:
    """Return what went wrong, "" if the application has what was to be done."""
    try:
        task(agent, application)
    except AssertionError:
        return traceback.format_exc(limit=-3)[:1500]
    return ""

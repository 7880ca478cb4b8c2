"""Tasks in a notebook server: its files are on the disk."""

from __future__ import annotations

from field.tasks.agent import Agent
from field.tasks.applications import JupyterLab
from support.waiting import wait_until


def _open(agent: Agent, lab: JupyterLab) -> None:
    agent.open(f"{lab.url}/lab/?reset")
    agent.wait("Text File")


def make_a_folder(agent: Agent, lab: JupyterLab) -> None:
    _open(agent, lab)
    agent.act("New Folder")
    agent.put("textbox", "plans")
    agent.by_ref("textbox", "press", "Enter")
    wait_until((lab.work / "plans").is_dir, what="the folder")


TASKS = (make_a_folder,)

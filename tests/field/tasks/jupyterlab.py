"""Tasks in a notebook server: its files are on the disk."""

from __future__ import annotations

import json

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
    agent.press("Enter")
    agent.finish()
    wait_until((lab.work / "plans").is_dir, what="the folder")


def write_a_text(agent: Agent, lab: JupyterLab) -> None:
    _open(agent, lab)
    agent.act("Text File")
    agent.put("textbox.*multiline", "Water the ferns.\nNot the cactus.")
    _save_as(agent, "water.txt")
    text = "Water the ferns.\nNot the cactus."
    wait_until(lambda: _text(lab, "water.txt").rstrip("\n") == text, what="the text")


def rename_a_text(agent: Agent, lab: JupyterLab) -> None:
    _open(agent, lab)
    agent.act("notes.txt", "right_click")
    agent.act("Rename")
    agent.put("textbox.*notes", "diary.txt")
    agent.press("Enter")
    agent.finish()
    wait_until(lambda: _text(lab, "diary.txt") == "one\ntwo\n", what="the file's new name")
    assert not (lab.work / "notes.txt").exists()


def run_a_notebook(agent: Agent, lab: JupyterLab) -> None:
    _open(agent, lab)
    agent.act("Python 3 (ipykernel)", of="Notebook")
    agent.wait("Idle")
    agent.put("textbox.*multiline", "print(6 * 7)")
    agent.press("Shift+Enter")
    agent.wait("42")
    _save_as(agent, "sums.ipynb")
    wait_until(lambda: "42" in _outputs(lab, "sums.ipynb"), what="the notebook's output")


def _save_as(agent: Agent, name: str) -> None:
    """Save what is open, and answer the dialog that asks for its name."""
    agent.press("ctrl+s")
    agent.put("textbox.*(File name|ntitled)", name)
    agent.act("Rename and Save")
    agent.finish()


def _text(lab: JupyterLab, name: str) -> str:
    path = lab.work / name
    return path.read_text("utf-8") if path.exists() else ""


def _outputs(lab: JupyterLab, name: str) -> str:
    cells = json.loads(_text(lab, name) or '{"cells": []}')["cells"]
    return json.dumps([cell.get("outputs", []) for cell in cells])


TASKS = (make_a_folder, write_a_text, rename_a_text, run_a_notebook)

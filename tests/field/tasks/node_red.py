"""Tasks in an editor of flows: what is deployed is what its API answers."""

from __future__ import annotations

from field.tasks.agent import Agent
from field.tasks.applications import NodeRed


def place_two_nodes(agent: Agent, editor: NodeRed) -> None:
    agent.open(editor.url)
    agent.wait("inject")
    for name, x in (("inject", 450), ("debug", 700)):
        agent.drag(name, x, 300)
    agent.act("Deploy")
    agent.wait("Successfully deployed")
    agent.finish()
    assert {"inject", "debug"} <= {node["type"] for node in editor.nodes()}


def rename_the_flow(agent: Agent, editor: NodeRed) -> None:
    agent.open(editor.url)
    agent.wait("Flow 1")
    agent.act("Flow 1", "double_click")
    agent.fill({"Name": "Greenhouse"})
    agent.act("Done")
    agent.act("Deploy")
    agent.wait("Successfully deployed")
    agent.finish()
    assert "Greenhouse" in [node.get("label") for node in editor.nodes()]


TASKS = (place_two_nodes, rename_the_flow)

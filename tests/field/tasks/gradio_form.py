"""Tasks in a form of Gradio: what was ordered is what its function was given."""

from __future__ import annotations

from field.tasks.agent import Agent
from field.tasks.applications import Gradio
from support.waiting import wait_until


def order_everything(agent: Agent, form: Gradio) -> None:
    agent.open(form.url)
    agent.wait("Amount")
    fields = {"Name": "Ada", "Amount": 12.5, "Level": 35, "Colour": "Green",
              "Tags": ["fresh", "frozen"], "Food": ["Milk", "Bread"], "Agree": True,
              "Day": "Tue"}  # fmt: skip
    agent.fill(fields, "Order")
    agent.finish()
    ordered = ["Ada", 12.5, 35, "Green", ["fresh", "frozen"], ["Milk", "Bread"], True, "Tue"]
    wait_until(lambda: form.orders() == [ordered], what="the order")


def order_again(agent: Agent, form: Gradio) -> None:
    before = len(form.orders())
    agent.open(form.url)
    agent.wait("Amount")
    agent.fill({"Name": "Grace", "Day": "Mon"})
    agent.act("Agree", "check")
    agent.act("Order")
    agent.finish()
    wait_until(lambda: len(form.orders()) > before, what="the order")
    name, *_, agreed, day = form.orders()[-1]
    assert (name, agreed, day) == ("Grace", True, "Mon")


TASKS = (order_everything, order_again)

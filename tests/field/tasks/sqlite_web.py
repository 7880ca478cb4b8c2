"""Tasks in an editor of SQLite files: what was done is in the file."""

from __future__ import annotations

from field.tasks.agent import Agent
from field.tasks.applications import SqliteWeb
from support.waiting import wait_until


def insert_a_row(agent: Agent, site: SqliteWeb) -> None:
    agent.open(f"{site.url}/plants/")
    agent.go("Insert")
    agent.fill({"name": "ivy", "height": 300}, "Insert")
    agent.expect("ivy")
    assert site.rows("select height from plants where name = 'ivy'") == [(300,)]


def change_a_row(agent: Agent, site: SqliteWeb) -> None:
    agent.open(f"{site.url}/plants/content/")
    agent.by_ref('link "Edit"')
    agent.act("include all columns", "check")
    agent.fill({"height": 45}, "Update")
    agent.expect("45")
    assert site.rows("select height from plants where name = 'fern'") == [(45,)]


def add_a_column(agent: Agent, site: SqliteWeb) -> None:
    agent.open(f"{site.url}/plants/")
    agent.go("Add column")
    agent.fill({"Column name": "shade", "Column type": "BOOL"}, "Add column")
    agent.expect("shade")
    assert "shade" in site.rows("select sql from sqlite_master where name = 'plants'")[0][0]


def run_a_query(agent: Agent, site: SqliteWeb) -> None:
    agent.open(f"{site.url}/plants/query/")
    agent.put("textbox.*multiline", "delete from plants where height > 1000")
    agent.act("Execute")
    agent.finish()
    query = "select name from plants where height > 1000"
    wait_until(lambda: site.rows(query) == [], what="the end of the row")


TASKS = (insert_a_row, change_a_row, add_a_column, run_a_query)

"""Tasks in a wiki."""

from __future__ import annotations

from field.tasks.agent import Agent
from field.tasks.applications import TiddlyWiki
from support.waiting import wait_until


def write_an_entry(agent: Agent, wiki: TiddlyWiki) -> None:
    agent.open(wiki.url)
    agent.act("new tiddler")
    agent.put(r'textbox.*value="New Tiddler', "Ferns")
    agent.put("Type the text", "Ferns have no flowers.\nThey have spores.")
    agent.act("Confirm changes")
    agent.expect("Ferns have no flowers")
    wait_until(lambda: "They have spores." in wiki.entries().get("Ferns", ""), what="the file")


def change_an_entry(agent: Agent, wiki: TiddlyWiki) -> None:
    agent.open(f"{wiki.url}/#Ferns")
    agent.by_ref('button "Edit this tiddler"')
    agent.put("Type the text", "Ferns are old.")
    agent.put("tag name", "plants")
    agent.press("Enter")
    agent.act("Confirm changes")
    agent.expect("Ferns are old")
    wait_until(lambda: "tags: plants" in wiki.entries()["Ferns"], what="the tag")
    assert "Ferns are old." in wiki.entries()["Ferns"]


def search_an_entry(agent: Agent, wiki: TiddlyWiki) -> None:
    agent.open(wiki.url)
    agent.put("searchbox", "fern")
    agent.expect("Ferns")
    agent.by_ref('link "Ferns"')
    assert agent.expect("Ferns are old")


def delete_an_entry(agent: Agent, wiki: TiddlyWiki) -> None:
    agent.open(f"{wiki.url}/#Ferns")
    agent.by_ref('button "Edit this tiddler"')
    agent.act("Delete this tiddler")
    if "dialog" in agent.finish():
        agent.accept_dialog()
        agent.finish()
    wait_until(lambda: "Ferns" not in wiki.entries(), what="the end of the file")


TASKS = (write_an_entry, change_an_entry, search_an_entry, delete_an_entry)

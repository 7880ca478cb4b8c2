"""Tasks of a wiki: search, follow links, edit, history; calls are counted."""

from support.agent import Agent


def test_fact_behind_a_search_and_a_link(agent: Agent) -> None:
    """Who keeps the lighthouse of Cape Ambler: three calls."""
    agent.go("wiki/Main_Page")
    agent.do("act", instruction="search for Cape Ambler; click the lighthouse link")
    assert "The keeper is Ada" in agent.do("read_page", mode="text")["content"]
    assert agent.calls == 3


def test_search_by_words_of_the_text(agent: Agent) -> None:
    """A search that lists results, and one of them: two calls."""
    agent.go("wiki/Main_Page")
    result = agent.do("act", instruction='search for "keeper"; click Lighthouse')
    assert result["changed"]["url"].endswith("/wiki/Lighthouse")
    assert agent.calls == 2


def test_article_is_edited(agent: Agent) -> None:
    """Text, summary, a box and saving: two calls."""
    agent.go("wiki/Lighthouse")
    agent.do(
        "act",
        instruction='click Edit; fill Text with "A tower. The keeper is Grace."; '
        'type "new keeper" into Summary; check minor edit; click Save changes',
    )
    assert agent.records.articles["Lighthouse"][-1] == (
        "new keeper",
        "A tower. The keeper is Grace.",
    )
    assert agent.calls == 2


def test_sentence_is_added_to_an_article(agent: Agent) -> None:
    """The field's own text is kept: three calls."""
    agent.go("wiki/Lighthouse?action=edit")
    agent.do("act", instruction='press Ctrl+End in Text; append " It is red." to Text')
    agent.do("fill_form", fields={"Summary": "colour"}, submit="Save changes")
    assert agent.records.articles["Lighthouse"][-1][1].endswith("The keeper is Ada. It is red.")
    assert agent.calls == 3


def test_new_article(agent: Agent) -> None:
    """A page that does not exist yet: two calls."""
    agent.go("wiki/Fog_horn?action=edit")
    agent.do(
        "fill_form", fields={"Text": "It is loud. 📢", "Summary": "new"}, submit="Save changes"
    )
    assert agent.records.articles["Fog horn"] == [("new", "It is loud. 📢")]
    assert agent.calls == 2


def test_history_is_read(agent: Agent) -> None:
    """What the last revision was for: three calls."""
    agent.go("wiki/Cape_Ambler")
    agent.do("interact", query="View history")
    assert "Revision 2: height" in agent.do("read_page", mode="text")["content"]
    assert agent.calls == 3

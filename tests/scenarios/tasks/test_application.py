"""Tasks of a form of several pages whose fields depend on each other; calls are counted."""

from support.agent import Agent

PERSON = {
    "Family name": "Kim", "Given name": "Min-jun 민준", "Date of birth": "2001-02-03",
    "Nationality": "Korean",
}  # fmt: skip


def test_application_page_by_page(agent: Agent) -> None:
    """Each page is filled and continued in one call: four calls."""
    agent.go("apply")
    agent.do("fill_form", fields=PERSON, submit="Continue")
    agent.do(
        "fill_form",
        fields={
            "Student": True, "School": "Busan", "Final year": 2033, "Hours a week": 20,
            "About you": "two\nlines",
        },
        submit="Continue",
    )  # fmt: skip
    result = agent.do("fill_form", fields={"All of this is true": True}, submit="Send application")
    assert "Your number is A-1" in result["content"]
    (sent,) = agent.records.applications
    assert sent["given"] == "Min-jun 민준"
    assert (sent["school"], sent["year"], sent["hours"]) == ("Busan", "2033", "20")
    assert sent["about"].split() == ["two", "lines"]
    assert agent.calls == 4


def test_application_by_one_instruction(agent: Agent) -> None:
    """All pages at once: two calls."""
    agent.go("apply")
    result = agent.do(
        "act",
        instruction="""
        fill Family name with Kim; fill Given name with Min-jun; set Date of birth to 2001-02-03
        select Korean in Nationality, then click Continue
        choose Employed; type "The lamp company" into Company; click Continue
        check All of this is true and click Send application
        """,
    )
    assert "Your number is A-1" in result["content"]
    assert agent.records.applications[0]["company"] == "The lamp company"
    assert agent.calls == 2


def test_a_missing_answer_is_reported_and_filled_in(agent: Agent) -> None:
    """The call fails and names the field; filled fields stay: three calls."""
    agent.go("apply")
    most = {key: value for key, value in PERSON.items() if key != "Given name"}
    refused = agent.fail("fill_form", fields=most, submit="Continue")
    assert [one["field"] for one in refused["failed"]] == ["Given name"]
    mended = agent.do("fill_form", fields={"Given name": "Min-jun"}, submit="Continue")
    assert "Step 2 of 3" in mended["content"]
    assert agent.calls == 3


def test_going_back_keeps_the_answers(agent: Agent) -> None:
    """Back to the first page and on again."""
    agent.go("apply")
    agent.do("fill_form", fields=PERSON, submit="Continue")
    agent.do("act", instruction="click Back; change Family name to Park; click Continue")
    assert agent.do("query_dom", selector="[name=family]")["total"] == 1
    assert agent.daemon.do("javascript_tool", code="form.family.value")["content"] == "Park"
    assert agent.calls == 4

"""oc_observe: elements that can be acted on, with boxes in the tab's window."""

from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site


def observed(daemon: Daemon, **params: object) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = daemon.do("oc_observe", **params)["nodes"]
    return nodes


def named(nodes: list[dict[str, Any]], name: str) -> dict[str, Any]:
    found = [node for node in nodes if node["name"] == name]
    assert len(found) == 1, [node["name"] for node in nodes]
    return found[0]


def write(daemon: Daemon, html: str) -> None:
    code = f"document.body.innerHTML = {html!r}"
    daemon.do("javascript_tool", code=code)


def test_nodes_have_refs_for_acting_verbs(daemon: Daemon, site: Site) -> None:
    """Each node has index, ref, role, name, box and actions; its ref can be clicked."""
    daemon.do("navigate", url=site.url("acting/rows.html"))
    result = daemon.do("oc_observe")
    assert {"url", "loader_id", "captured_at", "scope", "total_considered", "nodes"} <= set(result)
    assert [node["index"] for node in result["nodes"]] == list(range(len(result["nodes"])))
    second = [node for node in result["nodes"] if node["name"] == "Delete"][1]
    assert second["role"] == "button"
    assert second["in_viewport"] is True
    assert second["actions"] == ["click", "hover", "focus"]
    assert set(second["bbox"]) == {"x", "y", "w", "h"}
    daemon.do("interact", ref=second["ref"])
    said = daemon.do("javascript_tool", code="document.querySelector('output').textContent")
    assert "deleted Bob" in str(said)


def test_box_is_where_the_mouse_finds_the_element(daemon: Daemon, site: Site) -> None:
    """In frames of both origins and in shadow trees, the box's middle is the element."""
    daemon.do("navigate", url=site.url("acting/frames.html"))
    for name, scope in (("Press near", "document"), ("Press far", "document")):
        ref = named(observed(daemon, scope=scope), name)["ref"]
        daemon.do("interact", ref=ref, action="hover")
        node = next(node for node in observed(daemon) if node["ref"] == ref)
        box = node["bbox"]
        at = f"{box['x'] + box['w'] / 2}, {box['y'] + box['h'] / 2}"
        hit = daemon.do("javascript_tool", code=f"document.elementFromPoint({at}).title")
        assert name.split()[1] in str(hit)


def test_viewport_scope_has_only_visible_elements(daemon: Daemon, site: Site) -> None:
    """Scope viewport has what is visible; document has all of it, and marks what is visible."""
    daemon.do("navigate", url=site.url("index.html"))
    write(daemon, "<button>Top</button><div style='height:5000px'></div><button>Bottom</button>")
    assert [node["name"] for node in observed(daemon)] == ["Top"]
    nodes = observed(daemon, scope="document")
    assert [(node["name"], node["in_viewport"]) for node in nodes] == [
        ("Top", True), ("Bottom", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("action", "names"),
    [
        ("fill", ["Name", "Note"]),
        ("select", ["Colour"]),
        ("click", ["Name", "Note", "Colour", "Send"]),
    ],
)
def test_actions_narrow_the_list(daemon: Daemon, site: Site, action: str, names: list[str]) -> None:
    """Only elements that support an action; not disabled or read-only ones."""
    daemon.do("navigate", url=site.url("index.html"))
    write(
        daemon,
        "<input aria-label=Name value=Ada><textarea aria-label=Note></textarea>"
        "<select aria-label=Colour><option>Red</select><button>Send</button>"
        "<button disabled>Off</button>",
    )
    nodes = observed(daemon, actions=[action])
    assert [node["name"] for node in nodes] == names
    if action == "fill":
        assert nodes[0]["value"] == "Ada"


def test_include_hidden_adds_hidden_controls(daemon: Daemon, site: Site) -> None:
    """include_hidden adds what does not show, and marks it."""
    daemon.do("navigate", url=site.url("index.html"))
    write(daemon, "<button>Seen</button><button hidden>Unseen</button><input type=hidden name=x>")
    assert [node["name"] for node in observed(daemon)] == ["Seen"]
    nodes = observed(daemon, include_hidden=True)
    assert [(node["name"], node.get("hidden", False)) for node in nodes] == [
        ("Seen", False), ("Unseen", True),
    ]  # fmt: skip


def test_long_lists_come_in_pages(daemon: Daemon, site: Site) -> None:
    """250 buttons: 200, then the rest with the call that next_step names."""
    daemon.do("navigate", url=site.url("index.html"))
    write(daemon, "".join(f"<button>B{n}</button>" for n in range(250)))
    first = daemon.do("oc_observe", scope="document")
    assert (len(first["nodes"]), first["total"], first["next_offset"]) == (200, 250, 200)
    step = first["next_step"]
    rest = daemon.do(step["verb"], **step["arguments"])
    assert [node["name"] for node in rest["nodes"]] == [f"B{n}" for n in range(200, 250)]
    assert (rest["next_offset"], rest["nodes"][0]["index"]) == (None, 200)


def test_passwords_are_not_returned(daemon: Daemon, site: Site) -> None:
    """A password field says that it is filled, and no more."""
    daemon.do("navigate", url=site.url("index.html"))
    write(daemon, "<input type=password aria-label=Secret value=geheim>")
    assert "geheim" not in str(observed(daemon))


def test_closed_shadow_trees_are_included(daemon: Daemon, site: Site) -> None:
    """A button in a closed shadow tree is found, and can be pressed."""
    daemon.do("navigate", url=site.url("closed-shadow.html"))
    daemon.do("interact", ref=named(observed(daemon), "Closed button")["ref"])
    assert "pressed" in str(daemon.do("javascript_tool", code="document.title"))


def test_invisible_characters_in_names_are_removed(daemon: Daemon, site: Site) -> None:
    """Names pass the sanitiser, and a field says so; joiners of emoji stay."""
    daemon.do("navigate", url=site.url("index.html"))
    write(daemon, "<button>Bu\u202ey 👩‍👩‍👧</button><button>شراء</button>")
    result = daemon.do("oc_observe")
    assert [node["name"] for node in result["nodes"]] == ["Buy 👩‍👩‍👧", "شراء"]
    assert result["sanitized"]["removed"] == 1


def test_unnamed_elements_are_distinguishable(daemon: Daemon, site: Site) -> None:
    """They go by a hint in parentheses; a box around one other thing is not listed."""
    daemon.do("navigate", url=site.url("reading/systems.html"))
    names = [node["name"] for node in observed(daemon, scope="document")]
    for hint in ("(search-close)", "(close-button)", "(color)", "(align)"):
        assert names.count(hint) == 1, names
    assert names.count("Tree") == 1
    assert "" not in names, names
    assert "(tree-picker)" not in names

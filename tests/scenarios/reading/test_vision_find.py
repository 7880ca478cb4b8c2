"""vision_find: a picture with numbered boxes, and what each number is."""

import json
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site

# Colours at points of a picture, as [r, g, b] each.
_PIXELS = """(async (data, points) => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes]));
  const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
  pen.drawImage(bitmap, 0, 0);
  return [bitmap.width, bitmap.height, ...points.map(([x, y]) => [...pen.getImageData(x, y, 1, 1).data.slice(0, 3)])];
})"""  # noqa: E501


def write(daemon: Daemon, site: Site, html: str) -> None:
    daemon.do("navigate", url=site.url("index.html"))
    daemon.do("javascript_tool", code=f"document.body.innerHTML = {html!r}; 1")


def run(daemon: Daemon, code: str) -> Any:  # noqa: ANN401 - any JSON value
    result = daemon.do("javascript_tool", code=code)
    value = result.get("content", result.get("value"))
    return json.loads(value) if isinstance(value, str) else value


def pixels(daemon: Daemon, data: str, points: list[tuple[int, int]]) -> list[Any]:
    found: list[Any] = run(daemon, f"{_PIXELS}({data!r}, {json.dumps(points)})")
    return found


def test_numbers_have_working_refs(daemon: Daemon, site: Site) -> None:
    """Each number has ref, role, name and box, and the box is drawn where it says."""
    daemon.do("navigate", url=site.url("acting/rows.html"))
    seen = daemon.do("vision_find", query="delete", format="png")
    assert [element["number"] for element in seen["elements"]] == [1, 2, 3]
    assert {element["name"] for element in seen["elements"]} == {"Delete"}
    box = seen["elements"][1]["bbox"]
    edge, middle = (box["x"] + box["w"] - 4, box["y"]), (box["x"] + 4, box["y"] + box["h"] // 2)
    width, height, at_edge, inside = pixels(daemon, seen["image"]["data"], [edge, middle])
    assert (width, height) == (seen["width"], seen["height"])
    assert at_edge == [0x15, 0x65, 0xC0]
    assert inside[0] == inside[1] == inside[2]
    daemon.do("interact", ref=seen["elements"][1]["ref"])
    assert "deleted Bob" in str(
        daemon.do("javascript_tool", code="document.querySelector('output').textContent")
    )


def test_page_is_not_changed(daemon: Daemon, site: Site) -> None:
    """No node, attribute, size, scroll position or focus changes; the next picture is the same."""
    write(
        daemon, site, "<button>One</button><input aria-label=Two><div style='height:3000px'></div>"
    )
    run(
        daemon,
        """globalThis.noticed = [];
        new MutationObserver((all) => noticed.push(...all.map((one) => one.type)))
          .observe(document, {subtree: true, childList: true, attributes: true,
                              characterData: true});
        new ResizeObserver(() => noticed.push('size')).observe(document.body);
        for (const kind of ['resize', 'scroll', 'focusin', 'blur', 'visibilitychange'])
          addEventListener(kind, () => noticed.push(kind), true);
        new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(
          () => { noticed.length = 0; done(1) })))""",
    )
    before = daemon.do("page_screenshot")["image"]["data"]
    daemon.do("vision_find")
    daemon.do("vision_find", query="one", show_grid=True)
    assert run(daemon, "JSON.stringify(noticed)") == []
    assert daemon.do("page_screenshot")["image"]["data"] == before


def test_covered_elements_are_left_out(daemon: Daemon, site: Site) -> None:
    """Elements under an overlay get no number, unless the caller asks for them."""
    write(
        daemon,
        site,
        "<button>Under</button><div style='position:fixed;inset:0;background:#fff'>"
        "<button>Over</button></div>",
    )
    names = [one["name"] for one in daemon.do("vision_find")["elements"]]
    assert names == ["Over"]
    both = daemon.do("vision_find", occlusion_filter=False)["elements"]
    assert {one["name"] for one in both} == {"Under", "Over"}


def test_elements_in_cross_origin_frames_are_numbered_in_place(daemon: Daemon, site: Site) -> None:
    """The middle of a box in a frame is that frame; `iframes` leaves frames out."""
    daemon.do("navigate", url=site.url("frames.html"))
    elements = daemon.do("vision_find")["elements"]
    assert len(elements) >= 3
    titles = []
    for one in elements:
        box = one["bbox"]
        at = f"{box['x'] + box['w'] / 2}, {box['y'] + box['h'] / 2}"
        titles.append(run(daemon, f"JSON.stringify(document.elementFromPoint({at}).title)"))
    assert set(titles) == {"same origin", "other origin", "inline"}
    assert daemon.do("vision_find", iframes="none")["elements"] == []
    assert len(daemon.do("vision_find", iframes="same-origin")["elements"]) == len(
        [title for title in titles if title != "other origin"]
    )


def test_tiles_walk_down_a_long_page(daemon: Daemon, site: Site) -> None:
    """mode tiled pictures one screenful after the other, without scrolling the page."""
    write(
        daemon,
        site,
        "".join(f"<button style='display:block;height:300px'>B{n}</button>" for n in range(9)),
    )
    names: list[str] = []
    tile: int | None = 0
    while tile is not None:
        seen = daemon.do("vision_find", mode="tiled", tile=tile)
        names += [one["name"] for one in seen["elements"]]
        assert all(one["bbox"]["y"] < seen["height"] for one in seen["elements"])
        tile = seen["next_tile"]
    assert list(dict.fromkeys(names)) == [f"B{n}" for n in range(9)]
    assert run(daemon, "scrollY") == 0


def test_elements_beyond_the_limit_come_in_pages(daemon: Daemon, site: Site) -> None:
    """Numbers go on where the last picture ended."""
    write(daemon, site, "".join(f"<button>{n}</button>" for n in range(30)))
    first = daemon.do("vision_find", limit=20)
    assert (first["count"], first["total"], first["next_offset"]) == (20, 30, 20)
    rest = daemon.do("vision_find", **first["next_step"]["arguments"])
    assert [one["number"] for one in rest["elements"]] == list(range(21, 31))


def test_instruction_that_nothing_fits_numbers_everything(daemon: Daemon, site: Site) -> None:
    """An instruction narrows if it can; a query that nothing fits finds nothing. Both say so."""
    daemon.do("navigate", url=site.url("acting/rows.html"))
    seen = daemon.do("vision_find", instruction="the zebra")
    assert seen["count"] == 6
    assert "No element matches" in seen["hint"]
    seen = daemon.do("vision_find", query="zebra")
    assert (seen["count"], seen["hint"]) == (0, "No element matches the words.")


@pytest.mark.parametrize(
    "params", [{"mode": "tiled", "tile": 99}, {"iframes": "some"}, {"limit": 0}, {"format": "gif"}]
)
def test_invalid_input_is_an_error(daemon: Daemon, site: Site, params: dict[str, object]) -> None:
    """A tile that the page does not have, and unknown values of parameters."""
    daemon.do("navigate", url=site.url("index.html"))
    assert daemon.call("vision_find", **params).code == "invalid_argument"

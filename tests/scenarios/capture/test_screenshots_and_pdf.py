"""page_screenshot and page_pdf: size limits, and files."""

import base64
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from support.daemon import Daemon
from support.pages import Page
from support.site import Site

At = Callable[[str], Page]


@pytest.fixture
def daemon(one_tab_daemon: Daemon) -> Daemon:
    """One tab serves them all, for they begin by going to a page."""
    return one_tab_daemon


@pytest.fixture
def page(at: At) -> Page:
    return at("inner.html")


def tall(page: Page, height: int) -> None:
    page.js(f"document.body.style.margin = 0; document.body.style.height = '{height}px'; 1")


def size(data: bytes) -> tuple[int, int]:
    return int.from_bytes(data[16:20]), int.from_bytes(data[20:24])


def shot(page: Page, **params: object) -> tuple[dict[str, Any], bytes]:
    told = page.do("page_screenshot", **params)
    return told, base64.b64decode(told["image"]["data"])


def test_pages_too_large_for_a_screenshot_are_scaled(page: Page) -> None:
    """A page of 30,000 pixels is complete but smaller; the reply has the scale."""
    tall(page, 30_000)
    told, data = shot(page, full_page=True)
    assert max(size(data)) <= 16_384
    assert told["scale"] == pytest.approx(16_384 / 30_000, abs=0.001)
    assert "Scaled" in told["notes"][0]
    assert told["dimensions"] == {"width": size(data)[0], "height": size(data)[1]}


def test_endless_pages_are_cut_and_next_step_captures_the_rest(page: Page) -> None:
    """Beyond a quarter of the size the rest is left out; next_step captures it."""
    tall(page, 100_000)
    told, data = shot(page, full_page=True)
    assert told["cut"] is True
    assert max(size(data)) <= 16_384
    rest = told["next_step"]["arguments"]["clip"]
    assert rest[1] + rest[3] >= 100_000


def test_clip_is_a_list_or_an_object(page: Page) -> None:
    """Both spellings of an area."""
    assert size(shot(page, clip=[0, 0, 40, 30])[1]) == (40, 30)
    assert size(shot(page, clip={"x": 5, "y": 5, "width": 20, "height": 10})[1]) == (20, 10)
    assert page.call("page_screenshot", clip=[0, 0, 0, 10]).code == "invalid_argument"
    assert page.call("page_screenshot", clip=[0, 0, 10]).code == "invalid_argument"


def test_path_writes_the_picture_to_a_file(page: Page) -> None:
    """The file has the picture, the reply its path; a missing folder is an error."""
    folder = page.daemon.home.base / "tmp"
    path = folder / "그림 ü.webp"
    told = page.do("page_screenshot", path=str(path), format="webp", quality=0)
    assert (told["path"], told["format"]) == (str(path), "webp")
    assert "image" not in told
    assert path.read_bytes()[8:12] == b"WEBP"
    assert told["dimensions"]["width"] == 1280
    reply = page.call("page_screenshot", path=str(folder / "none" / "a.png"))
    assert reply.code == "file_not_found"


@pytest.mark.parametrize(
    ("name", "colour"),
    [
        ("near", (255, 0, 0)),
        ("far", (0, 0, 255)),
        ("long", (0, 255, 0)),
        ("deep", (255, 0, 255)),
        ("mixed", (0, 255, 255)),
    ],
)
def test_screenshots_of_elements_in_frames(
    at: At, site: Site, name: str, colour: tuple[int, int, int]
) -> None:
    """Only the element: in frames of any origin, scrolled, long, nested."""
    page = at("framed.html")
    page.do("wait_for", type="load")
    told, data = shot(page, selector=f"#{name}")
    assert told["dimensions"] == {"width": 120, "height": 40}
    with Image.open(io.BytesIO(data)) as picture:
        assert picture.convert("RGB").getcolors() == [(120 * 40, colour)]


def test_screenshot_of_an_element_in_a_frame_is_clipped_to_the_frame(at: At) -> None:
    """What is around the frame is no part of a page that is longer than its frame."""
    page = at("framed.html")
    told, _ = shot(page, selector="iframe[title=far]")
    assert told["dimensions"]["height"] == 160 + 2 * (5 + 7)
    ref = page.do("query_dom", selector="html", limit=9)["elements"][-1]["ref"]
    told, _ = shot(page, ref=ref)
    assert told["dimensions"]["height"] <= 300


_MAGIC = {"png": b"\x89PNG", "jpg": b"\xff\xd8\xff", "webp": b"RIFF"}


@pytest.mark.parametrize("suffix", _MAGIC)
def test_file_extension_selects_the_format(page: Page, daemon: Daemon, suffix: str) -> None:
    """A file named x.webp is WebP if no format is given, with `path` and with --out."""
    path = daemon.home.base / "tmp" / f"named.{suffix}"
    told = page.do("page_screenshot", path=str(path))
    assert told["mime_type"] == f"image/{suffix.replace('jpg', 'jpeg')}"
    assert path.read_bytes().startswith(_MAGIC[suffix])
    for verb in ("page-screenshot", "vision-find"):
        path = path.with_stem(verb)
        daemon.oc(verb, "--out", str(path)).ok()
        assert path.read_bytes().startswith(_MAGIC[suffix]), verb


def test_a_format_that_contradicts_the_name_is_refused(page: Page, daemon: Daemon) -> None:
    """The error names both, and nothing is written; names of other image types are refused, too."""
    path = daemon.home.base / "tmp" / "wrong.png"
    error = page.call("page_screenshot", path=str(path), format="jpeg").error
    assert (error["code"], error["parameter"]) == ("invalid_argument", "format")
    assert "wrong.png" in error["message"]
    assert page.call("page_screenshot", path=f"{path}.gif").code == "invalid_argument"
    for verb in ("page-screenshot", "vision-find"):
        done = daemon.oc(verb, "--format", "webp", "--out", str(path))
        assert (done.code, done.out) == (2, "")
        assert "wrong.webp" in done.err
    assert not path.exists()
    assert "contains a jpeg image" in daemon.oc("computer", "screenshot", "--out", str(path)).err
    plain = path.with_suffix("")
    page.do("page_screenshot", path=str(plain))
    assert plain.read_bytes().startswith(_MAGIC["png"])


def test_background_can_be_left_out(page: Page) -> None:
    """A transparent picture differs from one with the page's white."""
    assert shot(page)[1] != shot(page, omit_background=True)[1]


def test_out_and_json_do_not_mix(page: Page, daemon: Daemon) -> None:
    """--out has the picture, --json prints the rest."""
    path = daemon.home.base / "tmp" / "p.jpg"
    done = daemon.oc("page-screenshot", "--format", "jpeg", "--out", str(path), "--json").ok()
    assert path.read_bytes()[:3] == b"\xff\xd8\xff"
    assert done.json["result"]["image"]["path"] == str(path)


@pytest.mark.parametrize("option", [[], ["--out"]])
def test_pdf_on_the_command_line(page: Page, daemon: Daemon, option: list[str]) -> None:
    """An argument or --out names the file, and it is a PDF, not the answer's text."""
    path = daemon.home.base / "tmp" / f"pdf{len(option)}.pdf"
    daemon.oc("page-pdf", *option, str(path)).ok()
    assert path.read_bytes()[:5] == b"%PDF-"


def test_pdf_goes_to_a_file_of_the_session(page: Page) -> None:
    """Without a path: a new file in the session's folder; never its bytes."""
    told = page.do("page_pdf")
    path = Path(told["path"])
    assert path.read_bytes()[:5] == b"%PDF-"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.is_relative_to(page.daemon.home.path / "files")
    assert told["size"] == path.stat().st_size
    assert "JVBER" not in json.dumps(told)


def test_pdf_options(page: Page) -> None:
    """Paper, orientation, ranges, margins, header: the PDF is as asked."""
    tall(page, 5000)
    path = page.daemon.home.base / "tmp" / "a.pdf"
    told = page.do(
        "page_pdf", path=str(path), format="A3", landscape=True, pageRanges="1-2", scale=0.5,
        marginTop="20mm", displayHeaderFooter=True, headerTemplate="<b class=title></b>",
    )  # fmt: skip
    assert (told["format"], told["landscape"]) == ("A3", True)
    data = path.read_bytes()
    assert data.count(b"/Type /Page\n") == 2
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    assert box
    assert (round(float(box[1]), -1), round(float(box[2]), -1)) == (1190, 840)


@pytest.mark.parametrize(
    ("params", "parameter"),
    [
        ({"page_ranges": "99"}, "page_ranges"),
        ({"page_ranges": "a-b"}, "page_ranges"),
        ({"margin_top": "wide"}, "margin_top"),
        ({"scale": 3}, "scale"),
        ({"format": "B5"}, "format"),
    ],
)
def test_bad_options_are_named(page: Page, params: dict[str, Any], parameter: str) -> None:
    """Each wrong option is `invalid_argument` and named."""
    reply = page.call("page_pdf", **params)
    assert (reply.code, reply.error["parameter"]) == ("invalid_argument", parameter)


def test_printing_does_not_wait_for_idle(page: Page, site: Site) -> None:
    """Printing does not wait until the page is idle."""
    page.do("navigate", url=site.url("never-idle"))
    assert page.do("page_pdf")["size"] > 1000
    assert shot(page)[1]

"""The content of a rendered page's record: all that a person sees, and nothing else."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from ocd.browser.pool.page_pool import PagePool
from support.browsing import browsing
from support.crawl_site import page, site
from support.crawling import run_crawl

STYLE = """<style>
.gone { display: none } .unseen { visibility: hidden } .clear { opacity: 0 } .tiny { font-size: 0 }
.away { position: absolute; left: -9999px } .cut { clip-path: inset(50%); position: absolute }
.flat { height: 0; overflow: hidden } .same { color: #fff } .back { visibility: visible }
.late { opacity: 0; transition: opacity 1s } .in { opacity: 1 }
li:nth-child(2) { display: none }
@keyframes appear { from { opacity: 0 } } .fades { animation: appear 2s }
</style>"""
HIDDEN = ["gone", "unseen", "clear", "tiny", "away", "cut", "flat", "same"]
# By path: the page, what its content must have, what it must not have.
PAGES: dict[str, tuple[str, list[str], list[str]]] = {
    "/hidden": (
        STYLE
        + "".join(f"<p class={name}>secret-{name}</p>" for name in HIDDEN)
        + "<div class=unseen>secret-outer<b class=back>shown-again</b></div>"
        "<ul><li>first<li>secret-item<li>third</ul><p>plain words</p>"
        "<details><summary>More</summary>folded words</details><i class=away>secret-last</i>",
        ["plain words", "first", "third", "shown-again", "folded words"],
        ["secret"],
    ),
    "/fading": (
        STYLE + "<p class=fades>by animation</p><p class=late id=p>by transition</p>"
        "<script>onload = () => requestAnimationFrame(() => p.classList.add('in'))</script>",
        ["by animation", "by transition"],
        [],
    ),
    "/white": ("<style>i { color: #fff }</style><i>secret</i><p>words", ["words"], ["secret"]),
    "/attribute": ("<font color=white>secret</font><p>words", ["words"], ["secret"]),
    "/media": (
        ("<style>@media screen { @supports (color: red) { i { display: none } } }</style>"
        "<i>secret</i><p>words"),
        ["words"],
        ["secret"],
    ),
    "/import": ("<link rel=stylesheet href=/a.css><i>secret</i><p>words", ["words"], ["secret"]),
    "/popover": ("<div popover>secret</div><p>words", ["words"], ["secret"]),
    "/closed": (
        ("<x-a></x-a><script>document.querySelector('x-a').attachShadow({mode: 'closed'})"
        ".innerHTML = 'words'</script>"),
        ["words"],
        [],
    ),
    "/veiled": ("<style>body { visibility: hidden }</style><p>not ready", ["not ready"], []),
    "/faded": ("<style>html { opacity: 0 }</style><p>not faded in", ["not faded in"], []),
    "/shadow": (
        ("<title>S</title><p>above</p>"
        "<div id=h><b slot=top>named</b>light <i slot=no>lost</i></div>"
        "<x-closed></x-closed><script>const put = (host, mode, html) => {"
        " const root = host.attachShadow({mode}); root.innerHTML = html; return root };"
        "const root = put(h, 'open', '<style>.x{display:none}</style><h2><slot name=top></slot>"
        "</h2>[<slot></slot>]<a href=/inner>in shadow</a>"
        "<span class=x>secret</span><x-in></x-in>');"
        "put(root.querySelector('x-in'), 'open', '<em>nested</em>');"
        "put(document.querySelector('x-closed'), 'closed', 'closed words')</script><p>below</p>"),
        ["## **named**", "[light", "[in shadow](", "*nested*", "closed words", "below"],
        ["secret", "lost"],
    ),
    "/declared": (
        "<x-a><template shadowrootmode=open><h2>Declared</h2><slot></slot></template>light</x-a>",
        ["## Declared", "light"],
        [],
    ),
    "/frames": (
        "<p>outer</p><iframe src=/framed></iframe><iframe src=/framed?2 hidden></iframe>",
        ["outer", "inside a frame", "[in frame]("],
        ["framed?2"],
    ),
    "/framed": ("<p>inside a frame</p><a href=/from-frame>in frame</a>", ["inside"], []),
    "/placeholder": (
        ("<div id=app>Loading...</div><script>setTimeout(() => fetch('/data').then((r) => r.json())"
        ".then((d) => { app.textContent = 'answer ' + d.answer }), 1200)</script>"),
        ["answer 42"],
        ["Loading"],
    ),
    "/surrogates": (
        ("<body><script>document.title = 'ti\\ud800tle'; document.body.append('wo\\udc00rds');"
        "document.body.append(Object.assign(document.createElement('a'), {href: '/\\ud800'}))"
        "</script>"),
        ["wo\ufffdrds"],
        [],
    ),
    "/tampered": (
        STYLE + "<p class=gone>secret</p><p>words</p><script>window.getComputedStyle = null;"
        "Element.prototype.attachShadow = null; Array.from = null</script>",
        ["words"],
        [],
    ),
    "/form": (
        STYLE + "<form>named<input name=tagName><input name=setAttribute><input name=className>"
        "<input name=firstElementChild></form><p class=gone>secret</p><p>after</p>",
        ["named", "after"],
        ["secret"],
    ),
}  # fmt: skip


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[object]:
    async with browsing(tmp_path) as here:
        yield lambda tabs, options: PagePool(here.chromium, tabs, options)


async def test_content_is_what_a_person_sees(tmp_path: Path, pool: object) -> None:
    """Shadow trees, frames, late content are there; what CSS hides is not, in any format."""
    pages = {path: html for path, (html, _, _) in PAGES.items()}
    async with site({"/": page("Home", *pages), **pages}) as served:
        for path, rules in (("/a.css", "@import '/b.css';"), ("/b.css", "i { opacity: 0 }")):
            served.answers[path] = lambda _r, text=rules: web.Response(
                text=text, content_type="text/css"
            )
        for form in ("markdown", "text", "html"):
            got = await run_crawl(
                tmp_path / form, pool=pool, url=served.url, engine="browser", format=form,
                max_pages=len(pages) + 1, max_depth=1,
            )  # fmt: skip
            for path, (_, has, lacks) in PAGES.items():
                record = got.page(f"{served.url}{path}")
                assert "error" not in record, record
                if form == "markdown":
                    assert [text for text in has if text not in record["content"]] == [], path
                assert [text for text in lacks if text in record["content"]] == [], (path, form)
            assert "data-openchrome" not in "".join(one["content"] for one in got.pages)
    assert f"{served.url}/inner" in got.page(f"{served.url}/shadow")["links"]
    assert f"{served.url}/from-frame" in got.page(f"{served.url}/frames")["links"]
    assert got.page(f"{served.url}/surrogates")["title"] == "ti\ufffdtle"


async def test_documents_other_than_html_keep_their_text(tmp_path: Path, pool: object) -> None:
    """XML, JSON and text: the record has what the server sent, as the static engine would."""
    sent = {
        "/x": ("application/xml", "<?xml version='1.0'?>\n<a><b>words</b></a>\n"),
        "/j": ("application/json", '{"a": [1, 2]}'),
        "/t": ("text/plain", "a < b\n\n  c\n"),
    }
    async with site({"/": page("Home", *sent)}) as served:
        for path, (kind, text) in sent.items():
            served.answers[path] = lambda _r, k=kind, t=text: web.Response(text=t, content_type=k)
        contents = []
        for engine in ("browser", "static"):
            got = await run_crawl(tmp_path / engine, pool=pool, url=served.url, engine=engine)
            contents.append({path: got.page(served.url + path)["content"] for path in sent})
            assert {one["engine"] for one in got.pages} == {engine}
    assert contents[0] == contents[1] == {path: text for path, (_, text) in sent.items()}


async def test_pages_that_ask_for_a_password_are_http_errors(tmp_path: Path, pool: object) -> None:
    """401 with a challenge and errors without a body have their status, and are not tried again."""
    ask = {"WWW-Authenticate": 'Basic realm="x"'}
    async with site({"/": page("Home", "/auth", "/bare", "/none")}) as served:
        served.answers["/auth"] = lambda _r: web.Response(status=401, text="who?", headers=ask)
        served.answers["/bare"] = lambda _r: web.Response(status=403)
        served.answers["/none"] = lambda _r: web.Response(status=401, headers=ask)
        got = await run_crawl(tmp_path / "a", pool=pool, url=served.url, engine="browser")
    found = {one["url"]: (one["status"], one.get("error", {}).get("code")) for one in got.pages}
    assert found == {
        f"{served.url}/": (200, None),
        f"{served.url}/auth": (401, "http_error"),
        f"{served.url}/bare": (403, "http_error"),
        f"{served.url}/none": (401, "http_error"),
    }

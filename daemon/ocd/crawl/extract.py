"""One answer into the parts of a page record: title, content, links. Pure, and CPU only."""

import msgspec

from ocd.crawl.charset import decode
from ocd.crawl.scripted import ENOUGH_TEXT, why_scripted
from ocd.crawl.spec import Format
from ocd.crawl.urls import join
from ocd.safety.sanitize import Markup, Sanitizer

_MAX_TITLE = 1000


class Job(msgspec.Struct, array_like=True):
    """What is to be extracted. `body` is bytes as they came, or a rendered document (UTF-8).

    html: the body is a page. probe: say whether it needs scripts. anchors: link texts are wanted.
    """

    url: str
    body: bytes
    charset: str
    html: bool
    format: Format
    only_main: bool
    sanitize: bool
    probe: bool
    anchors: bool


class Extracted(msgspec.Struct, array_like=True):
    """What came out. links: (absolute URL, its text), each URL once. scripted: why_scripted()."""

    title: str
    content: str
    links: list[tuple[str, str]]
    scripted: str = ""


def extract(job: Job) -> Extracted:
    """Return title, content in the wanted format, and links of one answer."""
    text = decode(job.body, job.charset)
    clean = Sanitizer(job.sanitize).clean
    if not job.html:
        return Extracted("", "" if job.format == "links" else clean(text, "text"), [])
    found = _page(text, job)
    markup: Markup = "text" if job.format == "links" else job.format
    found.content = clean(found.content, markup)
    found.title = clean(found.title, "text")[:_MAX_TITLE]
    return found


def _page(html: str, job: Job) -> Extracted:
    from ocd import markup

    links = _absolute(markup.links(html), job.url)
    scripted = ""
    content = _content(html, job, links)
    if job.probe and len(content) < 2 * ENOUGH_TEXT:
        scripted = why_scripted(html)
    return Extracted(markup.title(html), content, links, scripted)


def _content(html: str, job: Job, links: list[tuple[str, str]]) -> str:
    raise NotImplementedError


def _absolute(found: list[tuple[str, str]], base: str) -> list[tuple[str, str]]:
    links: dict[str, str] = {}
    for href, text in found:
        url = join(base, href)
        if url is not None and not links.get(url):
            links[url] = text
    return list(links.items())

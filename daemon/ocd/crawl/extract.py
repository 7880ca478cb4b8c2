"""One answer into the parts of a page record: title, content, links. Pure, and CPU only."""

from typing import TYPE_CHECKING

import msgspec

from ocd.crawl.charset import decode
from ocd.crawl.scripted import ENOUGH_TEXT, why_scripted
from ocd.crawl.spec import Format
from ocd.crawl.urls import join
from ocd.safety.sanitize import Markup, Sanitizer

if TYPE_CHECKING:
    from ocd.markup import Document

_MAX_TITLE = 1000


class Job(msgspec.Struct, array_like=True):
    """What is to be extracted. `body` is bytes as they came, or a rendered document (UTF-8).

    html: the body is a page. probe: say whether it needs scripts.
    """

    url: str
    body: bytes
    charset: str
    html: bool
    format: Format
    only_main: bool
    sanitize: bool
    probe: bool


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
    kind: Markup = "markdown" if job.format == "links" else job.format
    found.content = clean(found.content, kind)
    found.title = clean(found.title, "text")[:_MAX_TITLE]
    return found


def _page(html: str, job: Job) -> Extracted:
    from ocd.markup import Document

    document = Document(html, job.url)
    title = document.title()
    links = _absolute(document.raw_links(), document.base)
    content = _content(document, job, links)
    # A page with much to say needs no second look.
    probed = job.probe and len(content) < 2 * ENOUGH_TEXT
    return Extracted(title, content, links, why_scripted(html) if probed else "")


def _content(document: "Document", job: Job, links: list[tuple[str, str]]) -> str:
    if job.format == "markdown":
        return document.to_markdown(only_main_content=job.only_main)
    if job.format == "text":
        return document.to_text(only_main_content=job.only_main)
    if job.format == "html":
        return document.visible(only_main_content=job.only_main)
    return "".join(f"- [{_label(text) or url}]({url})\n" for url, text in links)


def _label(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


def _absolute(found: list[tuple[str, str]], base: str) -> list[tuple[str, str]]:
    links: dict[str, str] = {}
    for href, text in found:
        url = join(base, href)
        if url is not None and not links.get(url):
            links[url] = text
    return list(links.items())

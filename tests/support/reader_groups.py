"""The functions that read text from outside, by what they read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from support.hostile import ANY, Shape

Read = Callable[[str], object]
# Of trees and of what takes a text's signs one by one only the length counts; instructions are made
# of words.
_SIGNS = (Shape("", "a", ""), Shape("", "a b", "!"))
SHAPES = {
    **dict.fromkeys(
        ("task: many arguments", "recording: values", "evidence: schema", "upstream: many blocks"),
        _SIGNS,
    ),
    **{f"tree: {kind}": (Shape("", "a", ""),) for kind in ("siblings", "tables", "lists", "items")},
    "act: parse": (
        *ANY,
        *(
            Shape(head, pump, tail)
            for head in ("click a", "wait for a", "fill a", "type a", "select a", "scroll to a")
            for pump, tail in (
                (" and click a", " and hover"), (" is", " x"), (" with a", ""), (" in a", "\t"),
                (" ", "x"), (" to", ""), (" now", "x"), (" 'a", ""), (" then", ""), (", and", ""),
            )
        ),
    ),
}  # fmt: skip
# Longer texts never reach it: who calls it refuses or cuts them before.
LONGEST = {"act: parse": 4000}
_URL = "http://h.test/"
_TEASER = "<div><h2><a href=/x>a</a></h2><p>b</div>"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _all(read: Callable[[str], Iterator[object]]) -> Read:
    def run(text: str) -> None:
        for _ in read(text):
            pass

    return run


def addresses() -> dict[str, Read]:
    """What reads URLs and hosts."""
    from ocd.crawl import url_globs, urls
    from ocd.safety import domain_policy, host_canonical, host_globs, origins, session_taint

    rules = domain_policy.DomainPolicy(allow=("*.h.test",), block=("*a*b*c.test",))
    return {
        "url: key_of": lambda text: urls.key_of(_URL + text),
        "url: key_of host": lambda text: urls.key_of(f"http://{text}/"),
        "url: key_of query": lambda text: urls.key_of(f"{_URL}?{text}"),
        "url: join": lambda text: urls.join(_URL, text),
        "url: join to": lambda text: urls.join(_URL + text, "../x?y"),
        "url: join path": lambda text: urls.join(_URL, "/" + text + "#s"),
        "url: requestable": lambda text: urls.requestable(_URL + text),
        "url: without_login": lambda text: urls.without_login("http://" + text),
        "url: origin": lambda text: urls.origin_of("http://" + text),
        "url: host_of": lambda text: host_canonical.host_of("http://" + text),
        "url: canonical_host": host_canonical.canonical_host,
        "url: parse_url_argument": domain_policy.parse_url_argument,
        "url: policy": lambda text: rules.allows("http://" + text),
        "url: taint": lambda text: (
            origins.origin_of(text),
            session_taint.recipient(_URL + text),
        ),
        "glob: host": host_globs.parse.__wrapped__,
        "glob: host covers": lambda text: rules.allows(f"http://{text}.c.test/"),
        "glob: scope": lambda text: url_globs.glob_test(text[:200])(_URL + text),
        "glob: scope of path": lambda text: url_globs.glob_test("/*a*b*/**x*")(_URL + text),
    }


def sites() -> dict[str, Read]:
    """What reads what servers send: robots.txt, sitemaps, character sets."""
    from ocd.crawl import sitemap
    from ocd.crawl.fetch import charset
    from ocd.crawl.robots import RobotsReply, _rules_of

    def robots(text: str) -> None:
        _rules_of(RobotsReply(200, "", _bytes(text)), _URL).allows(_URL + "a" * 2000 + "#")

    return {
        "robots: lines": robots,
        "robots: rule": lambda text: robots(f"User-agent: *\nDisallow: /{text}"),
        "robots: stars": lambda text: robots("User-agent: *\nDisallow: /" + "*a" * 50 + text + "b"),
        "robots: rules": lambda text: robots(
            "User-agent: *\n" + text.replace("a", "\nAllow: /*a*b$")
        ),
        "sitemap: text": _all(lambda text: sitemap.parse(_bytes(text))),
        "sitemap: xml": _all(lambda text: sitemap.parse(_bytes("<urlset><url><loc>" + text))),
        "sitemap: looks like": lambda text: sitemap.looks_like_sitemap(_bytes(text)),
        "charset: decode": lambda text: charset.decode(_bytes("<meta " + text) + b"\xff"),
        "charset: label": charset.codec_of,
    }


def markup() -> dict[str, Read]:
    """What makes HTML text and Markdown."""
    from ocd.content import html_text as html
    from ocd.content.declarative_shadow import compose
    from ocd.content.depth_limit import flatten
    from ocd.content.markdown_signs import write_signs
    from ocd.content.page_capture import capture_html
    from ocd.contracts import dom_queries
    from ocd.crawl.fetch.js_detection import (
        may_need_browser,
        needs_browser_reason,
        needs_xslt_reason,
    )
    from ocd.crawl.page_extractor import ExtractionJob, extract
    from ocd.evidence.bundle import without_secrets
    from ocd.integrations import open_chat_studio

    def page(text: str) -> None:
        extract(
            ExtractionJob(
                url=_URL, body=_bytes(text), charset="utf-8", html=True, format="markdown",
                only_main=True, sanitize=True, probe=True,
            )
        )  # fmt: skip

    shadow = "<div><template shadowrootmode=open>"
    return {
        "html: title": lambda text: html.Document(text).title(),
        "html: links": lambda text: html.Document(text, _URL).raw_links(),
        "html: links in a link": lambda text: html.Document(f'<a href="{text}">', _URL).raw_links(),
        "html: style": lambda text: html.Document(f'<p style="{text}">x').visible(),
        "html: main content": html.main_content,
        "html: teasers": lambda text: html.main_content(
            f"<main><p>{'b' * 2000}</p><div>{text.replace('a' * 10, _TEASER)}</div></main>"
        ),
        "html: nested teasers": lambda text: html.main_content(
            f"<main><p>{'b' * 2000}</p>{text.replace('a' * 10, _TEASER[:-6])}</main>"
        ),
        "html: asides": lambda text: html.main_content(
            f"<main><p>{'b' * 2000}</p>{text.replace('a' * 10, '<aside><article>')}<p>{'b' * 2000}"
        ),
        "html: markdown": html.to_markdown,
        "html: text": html.to_text,
        "html: lines": lambda text: html.to_markdown(f"<p>{text.replace('a', chr(10) + '- ')}"),
        "html: quotes": lambda text: html.to_markdown(
            f"<blockquote>{text.replace('a', '<ul><li>b</ul>c')}"
        ),
        "html: broken words": lambda text: html.to_markdown(
            f'<img alt="{text.replace("a", chr(10) + " ")}"><p title="{text}!'
        ),
        "html: escaped comments": lambda text: html.to_markdown(f"<p>&lt;!-- {text}"),
        "html: code": lambda text: write_signs(rf"<!-- \_ {text}", has_backslashes=True),
        "html: escapes": lambda text: write_signs(rf"a\_b {text}", has_backslashes=False),
        "html: languages": lambda text: html.to_markdown(f'<div class="{text}"><pre>x</pre></div>'),
        "html: backticks": lambda text: html.to_markdown(f"<p>` {text}"),
        "html: definitions": lambda text: html.to_markdown(f"<dl><dd>{text}<dt>x<dd>y"),
        "html: columns": lambda text: html.to_markdown(
            f"<table><tr><th align=right>{text}<td align=center>x<tr><td>y</table>"
        ),
        "html: formulas": lambda text: html.to_markdown(
            f"<script src=mathjax.js></script><p>{text}"
        ),
        "html: formulas between dollar signs": lambda text: html.to_markdown(
            f"""<script>mathjax=["$"]</script><p>$a {text.replace("a", "a$ ")}"""
        ),
        "html: MathML": lambda text: html.to_markdown(f"<math>{text.replace('a', '<mo>(<mi>x')}"),
        "html: nested MathML": lambda text: html.to_markdown(
            f"<math>{text.replace('a', '<msup><mfrac>')}"
        ),
        "html: formulas in scripts": lambda text: html.to_markdown(
            f"<script src=mathjax.js></script><script type=math/mml>{text}</script>"
        ),
        "html: nesting": flatten.__wrapped__,
        "html: captured for values": lambda text: capture_html(text, _URL),
        "html: counted": dom_queries._tree.__wrapped__,
        "html: fields with secrets": lambda text: without_secrets(f"<input value=x>{text}"),
        "html: messages of a site": open_chat_studio._messages,
        "html: shadow trees": lambda text: compose(shadow + text),
        "html: nested shadow trees": lambda text: compose(text.replace("<div>", shadow)),
        "html: needs a browser": lambda text: needs_browser_reason("<script></script>" + text),
        "html: noscript": lambda text: needs_browser_reason(
            f"<script></script><noscript>{text}</noscript>"
        ),
        "html: empty navigation": lambda text: needs_browser_reason(
            f"<script></script>{text}<nav>", leads_on=False
        ),
        "html: placeholders": lambda text: needs_browser_reason(
            f"<script></script><main><p>Loading {text}"
        ),
        "html: scripts that replace": lambda text: needs_browser_reason(
            f"<main id=x>Words</main><script>{text}</script>"
        ),
        "html: data of a page": lambda text: needs_browser_reason(
            f"<script type=application/json>{text}</script><script></script>"
        ),
        "html: XSLT": lambda text: needs_xslt_reason(_bytes(f"<?xml-stylesheet {text}")),
        "html: may be a placeholder": lambda text: may_need_browser(_bytes(f"<p>Loading {text}")),
        "html: page of a crawl": page,
    }


def _nested_url(length: int) -> str:
    """Return a URL in a parameter of a URL, and so on: one escape more at each level."""
    inner, levels = "", 0
    while len(inner) < length and levels < 60:
        inner, levels = f"http://h.test/?a={quote(inner, safe='')}", levels + 1
    return inner + "a" * (length - len(inner))


def _deep(length: int) -> object:
    """Return lists in lists, as deep as a decoder of JSON lets them be, `length` values in all."""
    value: object = list(range(length))
    for _ in range(500):
        value = [value]
    return value


def safety() -> dict[str, Read]:
    """What cleans and masks."""
    from ocd.api.errors import OcdError
    from ocd.safety import redact, redact_stream, token_patterns
    from ocd.safety.injection_phrases import count_phrases
    from ocd.safety.sanitize import Sanitizer
    from ocd.safety.secrets import Secrets

    clean = Sanitizer().clean
    secrets = Secrets({"A": "correct horse", "B": "aaaaaaaa", "C": "1234"})
    return {
        "sanitize: text": clean,
        "sanitize: html": lambda text: clean(text, "html"),
        "sanitize: markdown": lambda text: clean(text, "markdown"),
        "sanitize: error": lambda text: Sanitizer().clean_error(OcdError("internal", text)),
        "sanitize: phrases": count_phrases,
        "redact: text": redact.redact_text,
        "redact: url": lambda text: redact.redact_url(f"{_URL}?{text}"),
        "redact: nested url": lambda text: redact.redact_url(f"{_URL}?a=b%3A{text}"),
        "redact: nested urls": lambda text: redact.redact_url(_nested_url(len(text))),
        "redact: deep": lambda text: redact.redact(_deep(len(text))),
        "redact: value": redact.redact,
        "redact: json": lambda text: redact.redact({"a": [text], text[:200]: text}),
        "redact: long": redact_stream.redact_long,
        "redact: name": redact.is_secret_name,
        "redact: tokens": lambda text: token_patterns.without_tokens(text + " eyJ", "x"),
        "redact: credentials": lambda text: token_patterns.without_credentials(
            "Bearer " + text, "bearer " + text.lower(), "x"
        ),
        "secrets: fill": lambda text: secrets.fill("${SECRET:" + text),
        "secrets: mask": secrets.mask,
    }


def values() -> dict[str, Read]:
    """What finds values in what pages say."""
    from ocd.extraction import dates, embedded_metadata, field_names, numbers, pipeline
    from ocd.extraction.node_tree import PageCapture
    from ocd.extraction.schema import read_schema

    kinds = [
        "price",
        "date",
        "name",
        "email",
        "phone",
        "rating",
        "author",
        "availability",
        "url",
        "count",
        "in_stock",
    ]
    wanted = read_schema({"type": "object", "properties": {kind: {} for kind in kinds}})

    def harvest(text: str) -> None:
        tree: list[list[Any]] = [[0, "div", 0], [1, "p", {"class": text}], [2, text]]
        pipeline.one(PageCapture(_URL, [tree], [("og:title", text)]), wanted, page=True)

    return {
        "value: date": lambda text: (dates.iso_date(text), dates.iso_moment(text)),
        "value: number": numbers.number_in,
        "value: minutes": lambda text: numbers.minutes_in("P" + text),
        "value: currency": numbers.currency_in,
        "value: words": field_names.words_of.__wrapped__,
        "value: JSON-LD": lambda text: embedded_metadata.from_json([text]),
        "value: meta": embedded_metadata.meta_words,
        "value: page": harvest,
    }


def trees() -> dict[str, Read]:
    """What walks the trees that pages are harvested as: as many elements as the text has signs."""
    from ocd.extraction import pipeline
    from ocd.extraction.node_tree import PageCapture
    from ocd.extraction.schema import read_schema

    wanted = read_schema({"type": "object", "properties": {"price": {}, "name": {}, "tags": {}}})
    kinds: dict[str, list[list[Any]]] = {
        "siblings": [[1, "div", {"class": "card"}], [2, "b", 0], [3, "Price: 5"]],
        "tables": [[1, "table", 0], [2, "tr", 0], [3, "th", 0], [4, "A"], [3, "th", 0], [4, "B"],
                   [2, "tr", 0], [3, "td", 0], [4, "1"], [3, "td", 0], [4, "2"]],
        "lists": [[1, "dl", 0], [2, "dt", 0], [3, "Price"], [2, "dd", 0], [3, "5"]],
        "items": [[1, "div", {"itemscope": "", "itemtype": "http://schema.org/Product"}],
                  [2, "b", {"itemprop": "price"}], [3, "5"]],
    }  # fmt: skip

    def walk(entries: list[list[Any]], text: str) -> None:
        tree = [[0, "body", 0], *(entries * (len(text) // 50))]
        pipeline.everything(PageCapture(_URL, [tree]), page=True)
        pipeline.one(PageCapture(_URL, [tree]), wanted, page=True)
        pipeline.many(PageCapture(_URL, [tree]), wanted, page=True)

    return {f"tree: {kind}": _bound(walk, entries) for kind, entries in kinds.items()}


def _bound(walk: Callable[[Any, str], None], entries: object) -> Read:
    return lambda text: walk(entries, text)


def readings() -> dict[str, Read]:
    """What compares, filters and searches readings of pages."""
    from ocd.browser.observe.text_patterns import text_test
    from ocd.content import content_filter, line_diff, repeated_lines
    from ocd.content.tokens import terms
    from ocd.contracts.matching import collapse_whitespace, pattern_matches
    from ocd.crawl.relevance import RelevanceScorer
    from ocd.safety.regex import compile_pattern

    scorer = RelevanceScorer("a b c")
    return {
        "compare: lines": lambda text: line_diff.difference(
            text, text.replace("a", "[ref=e1]\n")
        ).text(),
        "compare: repeats": lambda text: repeated_lines.without_repeats(
            text, "http://a/", text.replace("a", "\n"), "http://b/"
        ),
        "filter: pruning": lambda text: content_filter.filter_blocks(text, "prune", None, None),
        "filter: bm25": lambda text: content_filter.filter_blocks(text, "bm25", "a b 0", None),
        "score: page": lambda text: scorer.page(text, text),
        "score: link": lambda text: scorer.link(text, text, 0.0, 0),
        "pattern: glob": text_test("a*b*c*d*<"),
        "pattern: expression": text_test("/(a|aa)+$|(.*)(.*)(.*)x/"),
        "pattern: contract": lambda text: pattern_matches("(a*)*b|(.*)*x", text),
        "pattern: output": lambda text: compile_pattern(
            "(a*)*b|(.*)*x", "pattern", lines_of_bytes=True
        ).search(_bytes(text)),
        "terms": terms,
        "contract: squeezed": collapse_whitespace,
    }


def stores() -> dict[str, Read]:
    """What is written down of calls and read back from files, and what two evidences differ in."""
    from ocd.config import loader
    from ocd.evidence import diff, schema_diff
    from ocd.ledger import args_summary
    from ocd.safety import redact
    from ocd.storage import journal

    def config(text: str) -> None:
        with TemporaryDirectory() as folder:
            path = Path(folder, "config.toml")
            path.write_bytes(_bytes(text))
            loader._read_file(path)

    def read_back(text: str) -> None:
        with TemporaryDirectory() as folder:
            Path(folder, "journal-2026-01-01.jsonl").write_bytes(_bytes(text) + b"\n{}\n")
            journal.Journal(Path(folder)).summary()

    def compare(text: str) -> None:
        lines = text.replace("a", "\n- a [ref=e1] ")
        messages = {"entries": [{"level": "log", "text": line} for line in lines.splitlines()]}
        one = {"outline": text, "html": text, "console": messages, "network": [], "facts": {}}
        diff.compare(one, one | {"outline": lines, "html": lines, "facts": {"a": [*text[::10]]}})

    def schema(text: str) -> None:
        fields = {"fields": [{"name": name} for name in text[:20]] or [{"name": "a"}]}
        schema_diff.diff(fields, [{one: 1} for one in text])

    return {
        "journal: line": lambda text: journal._line(
            {"event": "tool_call", "args": {"a": text, text: 1}}
        ),
        "journal: read back": read_back,
        "task: arguments": lambda text: args_summary.summarise({"a": text, text: [text], "b": "c"}),
        "task: many arguments": lambda text: args_summary.summarise(
            {f"{number}{one}": one for number, one in enumerate(text[::10])}
        ),
        "recording: values": lambda text: redact.mask_values(
            {"steps": [{"value": one, "ref": "e1"} for one in text]}, bool
        ),
        "evidence: compare": compare,
        "evidence: schema": schema,
        "config: file": config,
        "config: host": lambda text: config(f"allow_domain = ['{text}']"),
        "config: variable": lambda text: loader._variables({"OPENCHROME_ALLOW_DOMAIN": text}),
    }


def calls() -> dict[str, Read]:
    """What reads what callers, hosts and other servers give."""
    from oc.mcp import jsonc_edit, toml_edit
    from oc_mcp.relay import jsonrpc_framing
    from oc_mcp.server import tool_results
    from ocd.api.spelling import snake_case
    from ocd.browser.cdp.streaming_decode import LongMessage
    from ocd.browser.emulation import devices
    from ocd.browser.observe import remote_objects
    from ocd.browser.tabs import pdf
    from ocd.gateway import results
    from ocd.pages.instructions import parser
    from ocd.safety.path_policy import safe_name
    from ocd.workflows.plan_schema import substitute

    def message(text: str) -> None:
        long = LongMessage()
        data = _bytes(f'{{"id":1,"result":["{text}"]}}')
        for at in range(0, len(data), 4096):
            long.feed(data[at : at + 4096])
        long.end()

    def upstream(text: str) -> None:
        link = {"type": "resource_link", "uri": text, "name": text, "mimeType": text}
        content = [{"type": "text", "text": text}, link]
        answer = {"content": content, "structuredContent": {"a": text}}
        results.output_of("s", "t", answer, redacted=True)

    return {
        "act: parse": parser.parse,
        "config: JSON with comments": jsonc_edit.decode,
        "config: TOML table": lambda text: toml_edit.with_table(text, ("a", "b"), {"c": "d"}),
        "user agent": lambda text: devices.override("Chrome/1" + text),
        "length": lambda text: pdf.inches("width", "1" + text),
        "console message": lambda text: remote_objects.format_arguments(
            [{"type": "string", "value": text}, {"type": "number", "value": 1}]
        ),
        "message of the browser": message,
        "upstream: whole answer": upstream,
        "upstream: many blocks": lambda text: results.output_of(
            "s", "t", {"content": [{"type": "image", "data": one} for one in text]}, redacted=True
        ),
        "upstream: deep answer": lambda text: results.output_of(
            "s", "t", {"content": [], "structuredContent": _deep(len(text))}, redacted=True
        ),
        "upstream: short text": lambda text: results.one_line(text, 100),
        "mcp: fence": lambda text: tool_results.fence(text, text),
        "mcp: response": lambda text: jsonrpc_framing.response_key(_bytes(text)),
        "plan: names": lambda text: substitute(text, {"a": "b"}, {"a"}),
        "name: snake_case": snake_case,
        "name: of a file": safe_name,
    }  # fmt: skip


GROUPS = (addresses, sites, markup, safety, values, trees, readings, stores, calls)

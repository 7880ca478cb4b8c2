"""The sanitiser: removes what no person would see from page text, and flags instructions.

Three rules, in this order: invisible and bidirectional control characters are removed (those that
a script needs stay), HTML comments are removed from markup, and phrases that read like instructions
to an assistant are counted. Findings are reported beside the text, never in it; `clean` is
idempotent.
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.safety.injection_phrases import count_phrases

Markup = Literal["text", "markdown", "html"]

# Scripts whose letters change shape or meaning beside U+200C and U+200D, and emoji for U+200D.
_JOINING = (
    "\u0600-\u06ff\u0700-\u074f\u0750-\u077f\u0780-\u07ff\u0840-\u08ff\u0900-\u0dff\u0f00-\u109f"
    "\u1780-\u18af\u1b00-\u1b7f\u1c00-\u1c4f\ua840-\ua87f\ua8e0-\ua8ff\ua980-\ua9df\ufb50-\ufdff"
    "\ufe70-\ufefc\U00011000-\U000117ff\U0001e900-\U0001e95f"
)
_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u0f84\u1039\u17d2"
_EMOJI = (
    "\u2190-\u2bff\u3030\u303d\u3297\u3299\u00a9\u00ae\u203c\u2049\u2122\u2139\U0001f000-\U0001faff"
)
_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_INVISIBLE = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Typography, and never kept: where a word may break, and where a text begins.
_USUAL = ("\u00ad", "\u200b", "\ufeff")
_ASCII_CONTROLS = bytes((*range(9), 11, 12, *range(14, 32), 127))
# The only tag sequences in use: the flags of England, Scotland and Wales.
_FLAG_TAGS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
# What a run of invisible characters may begin with and keep. It looks at neighbours that are never
# removed, so a second pass decides the same.
_KEPT = re.compile(
    rf"(?<=[{_JOINING}])[\u200c\u200d](?=[{_JOINING}])|(?<=[{_VIRAMA}])[\u200c\u200d]"
    rf"|(?<=[{_EMOJI}])\ufe0f?\u200d(?=[{_EMOJI}])|(?<=[{_EMOJI}])[\ufe0e\ufe0f]"
    rf"|(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<=[{_IDEOGRAPH}])[\ufe00-\ufe02\U000e0100-\U000e01ef]"
    rf"|(?<=[\u1000-\u109f\u2200-\u22ff])\ufe00|(?<=[\u1820-\u18aa])[\u180b-\u180f]"
    rf"|(?<=\U0001f3f4)(?:{_FLAG_TAGS})"
)
_INVISIBLE_RUN = re.compile(f"[{_INVISIBLE}]+")
_VISIBLE_ASCII = bytes(code for code in range(128) if code not in _ASCII_CONTROLS)

_COMMENT = r"<!--(?:-?>|.*?(?:--!?>{end}))"
_HTML_COMMENT = re.compile(_COMMENT.format(end=r"|\Z"), re.DOTALL)
# Code and escaped signs in Markdown show their comments to the reader, so they keep them.
_MARKDOWN_COMMENT = re.compile(
    r"(?P<keep>^(?P<fence>`{3,12}|~{3,12})[^\n]*\n.*?^(?P=fence)|`[^`\n]*`|\\<!--)|"
    + _COMMENT.format(end=""),
    re.DOTALL | re.MULTILINE,
)
# Where they may match: found in strides, with this many characters read twice.
_HTML_START = re.compile("<!--")
_MARKDOWN_START = re.compile(r"^~~~|`|\\<!--|<!--", re.MULTILINE)
_OVERLAP = 4
_OPENERS = ("<", "<!", "<!-")
# So many characters take less than a millisecond.
_STRIDE = 1 << 16


@dataclass(frozen=True, slots=True)
class SanitizerFindings:
    """Findings in a text: characters and comments removed, phrases flagged."""

    removed: int = 0
    flagged: int = 0

    def __bool__(self) -> bool:
        return bool(self.removed or self.flagged)

    def __add__(self, other: "SanitizerFindings") -> "SanitizerFindings":
        return SanitizerFindings(self.removed + other.removed, self.flagged + other.flagged)

    def field(self, hidden: int = 0) -> dict[str, dict[str, int]]:
        """Return the field that is reported beside the text; none if nothing was found.

        hidden: characters of the page that nobody sees, and that were left out.
        """
        if not self and not hidden:
            return {}
        return {"sanitized": {"removed": self.removed, "flagged": self.flagged, "hidden": hidden}}


@dataclass(frozen=True, slots=True)
class Sanitizer:
    """The sanitiser's rules, or none if switched off (`--no-sanitize-content`)."""

    enabled: bool = True

    def clean(self, text: str, markup: Markup = "text") -> tuple[str, SanitizerFindings]:
        """Return the visible text, and the findings.

        Comments are removed from "html" and "markdown" only: in plain text they are words.
        """
        if not self.enabled or not text:
            return text, SanitizerFindings()
        body, characters = _without_invisible(text)
        comments = 0
        if markup != "text" and "<!--" in body:
            body, comments = _without_comments(body, markup)
        return body, SanitizerFindings(characters + comments, count_phrases(body))

    def clean_values(self, data: Any, keys: Collection[str]) -> tuple[Any, SanitizerFindings]:  # noqa: ANN401
        """Return JSON data, its strings under `keys` (at any depth) without what is invisible.

        Second, the findings: values stay values.
        """
        if not self.enabled or not keys:
            return data, SanitizerFindings()
        found = [0, 0]
        cleaned = _clean_under(data, keys, found, inside=False)
        return cleaned, SanitizerFindings(*found)

    def clean_error(self, error: OcdError) -> None:
        """Clean an error in place: names, texts and candidates in it come from pages."""
        fields = {"message": error.message, "details": error.details}
        cleaned, found = self.clean_values({"fields": fields}, ("fields",))
        error.message, error.details = cleaned["fields"]["message"], cleaned["fields"]["details"]
        if found:
            error.details = {**error.details, **found.field()}


def _clean_under(value: Any, keys: Collection[str], found: list[int], *, inside: bool) -> Any:  # noqa: ANN401
    if isinstance(value, str):
        if not inside:
            return value
        text, characters = _without_invisible(value)
        found[0] += characters
        found[1] += count_phrases(text)
        return text
    if isinstance(value, dict):
        return {
            (_clean_under(key, keys, found, inside=True) if inside else key): _clean_under(
                item, keys, found, inside=inside or key in keys
            )
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        cleaned = [_clean_under(item, keys, found, inside=inside) for item in value]
        return cleaned if isinstance(value, list) else tuple(cleaned)  # equal if nothing changed
    return value


def _without_invisible(text: str) -> tuple[str, int]:
    """Return the visible text, and how many characters were removed besides the usual ones."""
    if not any(_has_invisible(text[at : at + _STRIDE]) for at in range(0, len(text), _STRIDE)):
        return text, 0
    if all(len(_visible(text, *stride)) == stride[1] - stride[0] for stride in _strides(text)):
        return text, 0
    cleaned = ""
    for stride in _strides(text):
        cleaned += _visible(text, *stride)
    usual = sum(map(text.count, _USUAL))
    return cleaned, len(text) - len(cleaned) - usual


def _has_invisible(text: str) -> bool:
    # Most texts have few characters that are not ASCII: to look at those alone takes a twentieth.
    rest = text.encode(errors="surrogatepass").translate(None, _VISIBLE_ASCII)
    return bool(rest) and _INVISIBLE_RUN.search(rest.decode(errors="surrogatepass")) is not None


def _strides(text: str) -> Iterator[tuple[int, int]]:
    """Yield where pieces of the text begin and end; none cuts a run of invisible characters."""
    start = 0
    while start < len(text):
        run = _INVISIBLE_RUN.match(text, min(start + _STRIDE, len(text)))
        end = run.end() if run else min(start + _STRIDE, len(text))
        yield start, end
        start = end


def _visible(text: str, start: int, end: int) -> str:
    """Return a piece of the text without what is invisible."""
    if text.isascii():
        return text[start:end].encode().translate(None, _ASCII_CONTROLS).decode()
    visible = ""
    for run in _INVISIBLE_RUN.finditer(text, start, end):
        visible += text[start : run.start()]
        if match := _KEPT.match(text, run.start()):
            visible += match[0]
        start = run.end()
    return visible + text[start:end]


def _without_comments(text: str, markup: Markup) -> tuple[str, int]:
    cleaned, removed, done = "", 0, 0
    for match in _html_comments(text) if markup == "html" else _markdown_comments(text):
        # The text around the comment must not become a comment, or a code span, itself.
        before = text[max(0, match.start() - 3) : match.start()]
        cleaned += text[done : match.start()]
        cleaned += "\n" if "\n" in match[0] else " " if before.endswith(_OPENERS) else ""
        removed, done = removed + 1, match.end()
    return cleaned + text[done:], removed


def _html_comments(text: str) -> Iterator[re.Match[str]]:
    at = 0
    while start := _search(_HTML_START, text, at):
        if match := _HTML_COMMENT.match(text, start.start()):
            yield match
        at = match.end() if match else start.end()


def _markdown_comments(text: str) -> Iterator[re.Match[str]]:
    at, last = 0, max(text.rfind("-->"), text.rfind("--!>"))
    while (start := _search(_MARKDOWN_START, text, at)) and start.start() <= last:
        match = _MARKDOWN_COMMENT.match(text, start.start())
        at = match.end() if match else start.start() + 1
        if match and not match["keep"]:
            yield match


def _search(pattern: re.Pattern[str], text: str, start: int) -> re.Match[str] | None:
    while start < len(text):
        if found := pattern.search(text, start, start + _STRIDE):
            return found
        start += _STRIDE - _OVERLAP
    return None

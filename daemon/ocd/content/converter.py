"""The library that converts HTML to Markdown and text: its options and its slow cases."""

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

from ocd.content.conversion_cost import memory_to_convert
from ocd.storage.machine_limits import is_expendable, require_memory

if TYPE_CHECKING:
    from html_to_markdown import ConversionOptions

# The library takes quadratic time for the characters U+0080 to U+00BF within one text: 0.4 ms for
# this many of them, 2.3 s for 400,000. They share the first byte of their UTF-8 form.
_MAX_LATIN_SIGNS = 4096
_LATIN_BYTE = b"\xc2"
# Instead of them it reads U+10F780 to U+10F7BF, for private use: the same last bytes.
_PRIVATE_BYTES = b"\xf4\x8f\x9e"
_QUOTED_LATIN, _QUOTED_PRIVATE = "%C2", "%F4%8F%9E"
_NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
# So it does for ampersands, as references; this stands for one meanwhile.
_MAX_AMPERSANDS = 4096
_AMPERSAND, _QUOTED_AMPERSAND = "\U0010f7c0", "%F4%8F%9F%80"


def is_loaded() -> bool:
    """Return whether this process has converted before: the libraries take 10 MB for good."""
    return "html_to_markdown" in sys.modules


def convert(html: str, base_url: str, output: str) -> str:
    """Return HTML as "MARKDOWN" or "PLAIN" text, in time linear in its length.

    Where thousands of its characters are Latin-1 signs, no-break spaces become spaces in code, too.
    Raises MemoryError where there may be too little memory: the library would end the process.
    """
    signs = html.count("&")  # of other references, too, but fast if there are few
    if signs > _MAX_AMPERSANDS and html.count("&amp;") + html.count("&nbsp;") > _MAX_AMPERSANDS:
        html = html.replace(_AMPERSAND, "").replace("&nbsp;", _NO_BREAK_SPACE)
        text = _with_latin_signs(html.replace("&amp;", _AMPERSAND), base_url, output)
        return text.replace(_AMPERSAND, "&").replace(_QUOTED_AMPERSAND, "&")
    return _with_latin_signs(html, base_url, output)


def _with_latin_signs(html: str, base_url: str, output: str) -> str:
    data = html.encode()
    if not is_expendable():
        require_memory(memory_to_convert(base_url, data))
    if data.count(_LATIN_BYTE) <= _MAX_LATIN_SIGNS:
        return _convert(html, base_url, output)
    data = html.replace(_NO_BREAK_SPACE, " ").encode().replace(_PRIVATE_BYTES, b"")
    text = _convert(data.replace(_LATIN_BYTE, _PRIVATE_BYTES).decode(), base_url, output)
    text = text.replace(_QUOTED_PRIVATE, _QUOTED_LATIN)
    return text.encode().replace(_PRIVATE_BYTES, _LATIN_BYTE).decode()


def _convert(html: str, base_url: str, output: str) -> str:
    from html_to_markdown import convert

    return (convert(html, _options(base_url, output)).content or "").strip()


def _options(base_url: str, output: str) -> "ConversionOptions":
    from html_to_markdown import ConversionOptions

    return ConversionOptions(base_url=base_url or None, **_style(output))


@cache
def _style(output: str) -> dict[str, Any]:
    # Members instead of their names, its own defaults too: the library looks every name up by
    # trying, for each page anew.
    import html_to_markdown as library

    return {
        "output_format": getattr(library.OutputFormat, output),
        # Ours is done already, and the library's would drop forms and navigation.
        "preprocessing": library.PreprocessingOptions(
            enabled=False, preset=library.PreprocessingPreset.STANDARD
        ),
        "extract_metadata": False,
        "bullets": "-",
        "escape_asterisks": True,
        "escape_underscores": True,
        "compact_tables": True,
        "autolinks": False,
        "inline_data_media": library.InlineDataMedia.ALT_TEXT_ONLY,
        "expand_abbreviations": False,
        "include_blockquote_citations": False,
        "newline_style": library.NewlineStyle.BACKSLASH,
        "heading_style": library.HeadingStyle.ATX,
        "list_indent_type": library.ListIndentType.SPACES,
        "highlight_style": library.HighlightStyle.DOUBLE_EQUAL,
        "whitespace_mode": library.WhitespaceMode.NORMALIZED,
        "code_block_style": library.CodeBlockStyle.BACKTICKS,
        "hidden_content": library.HiddenContent.DROP,
        "url_escape_style": library.UrlEscapeStyle.ANGLE,
        "link_style": library.LinkStyle.INLINE,
        "tier_strategy": library.TierStrategy.TIER2,
    }

"""The HTML parser, loaded with the first document."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser


def parse_html(html: str) -> "LexborHTMLParser":
    """Return the document; MemoryError where there is no memory for it."""
    from selectolax.lexbor import LexborHTMLParser, SelectolaxError

    try:
        return LexborHTMLParser(html)
    except SelectolaxError as error:  # it takes any text, if it is given the memory
        raise MemoryError(str(error)) from error

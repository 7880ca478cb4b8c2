"""What the browser brings of a page for values to be found in it."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class PageCapture:
    """What the page and its frames gave: a list of entries for each scope, meta tags, language."""

    url: str
    scopes: list[list[list[Any]]] = field(default_factory=list)
    metas: list[tuple[str, str]] = field(default_factory=list)
    lang: str = ""
    title: str = ""
    cut: bool = False

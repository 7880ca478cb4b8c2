"""What verbs that act on a page share: how they name an element, and how they answer."""

from collections.abc import Sequence
from typing import Annotated, Any, Protocol

from msgspec import Meta

from ocd.safety.origins import text_source
from ocd.verb_api.action_report import event_lines
from ocd.verb_api.declaration import MAX_TIMEOUT_MS, UNLISTED, Output, Params, TabLike

# Keys of an acting verb's JSON that hold words of the page.
PAGE_KEYS = (
    "name", "title", "message", "value", "candidates", "options", "now", "place", "script_error",
)  # fmt: skip

WaitForMs = Annotated[
    int,
    Meta(ge=0, le=30_000, description="ms to wait for it to appear", extra_json_schema=UNLISTED),
]
PollInterval = Annotated[
    Annotated[int, Meta(ge=50, le=2000)] | None,
    Meta(
        description="ms between checks while the page does not change",
        extra_json_schema=UNLISTED,
    ),
]
Timeout = Annotated[
    int,
    Meta(ge=1, le=MAX_TIMEOUT_MS, description="Time limit in ms", extra_json_schema=UNLISTED),
]


class ElementParams(Params, kw_only=True):
    """Base of the verbs that act on one element: it is named in one of three ways."""

    ref: Annotated[str | None, Meta(description="Element ref (e12)")] = None
    selector: Annotated[str | None, Meta(description="or a CSS selector")] = None
    query: Annotated[str | None, Meta(description="or words, as in find")] = None


class ActionResult(Protocol):
    """The result of an action, for its reply."""

    @property
    def changed(self) -> dict[str, Any]:
        """The effects, as in the reply's `changed`."""
        ...

    @property
    def lines(self) -> list[str]:
        """Lines about the page, in the page's words."""
        ...

    @property
    def now(self) -> str:
        """The topmost layer of the page, and the focused element."""
        ...


def page_text(tab: TabLike, lines: Sequence[str]) -> dict[str, Any]:
    """Return the parts of an Output that are lines of page text, with their origin."""
    return {
        "content": "".join(f"{line}\n" for line in lines) if lines else None,
        "origin": text_source(tab.url),
    }


def answer(tab: TabLike, data: dict[str, Any], done: ActionResult) -> Output:
    """Return the reply of an action: what changed as keys, and in lines with the page's words."""
    data = {"tab_id": tab.id, "now": done.now, **data, "changed": done.changed}
    return Output(data=data, **page_text(tab, [*event_lines(data), *done.lines]))

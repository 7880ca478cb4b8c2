"""The assertions that a contract can make about a page."""

from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import Meta

from ocd.contracts.matching import Op, compile_pattern, invalid

Text = Annotated[str, Meta(min_length=1, max_length=10_000)]
Status = Annotated[int, Meta(ge=0, le=999)]


class Leaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One assertion about a page.

    PATTERNS: its fields that are regular expressions; ONE_OF: of these exactly one is given;
    NEEDS: the part of the evidence that it reads.
    """

    PATTERNS: ClassVar[tuple[str, ...]] = ()
    ONE_OF: ClassVar[tuple[str, ...]] = ()
    KIND: ClassVar[str] = ""
    NEEDS: ClassVar[str] = ""

    name: Annotated[str, Meta(max_length=200)] = ""

    def check(self, place: str) -> None:
        """Raise invalid_argument for values that the types alone do not rule out."""
        conditions = [name for name in self.ONE_OF if getattr(self, name) is not None]
        if self.ONE_OF and len(conditions) != 1:
            names = ", ".join(self.ONE_OF)
            raise invalid(place, f"{self.KIND} takes exactly one of {names}")
        for name in self.PATTERNS:
            pattern = getattr(self, name)
            if pattern is not None:
                compile_pattern(pattern, f"{place}.{name}")


class Url(Leaf, frozen=True, kw_only=True):
    """The page's address."""

    PATTERNS: ClassVar[tuple[str, ...]] = ("pattern",)
    ONE_OF: ClassVar[tuple[str, ...]] = ("pattern", "contains", "equals")
    KIND = "url"
    NEEDS = "url"
    pattern: Text | None = None
    contains: Text | None = None
    equals: Text | None = None


class DomText(Leaf, frozen=True, kw_only=True):
    """The text of the page, or of the elements that a CSS selector matches."""

    PATTERNS: ClassVar[tuple[str, ...]] = ("pattern",)
    ONE_OF: ClassVar[tuple[str, ...]] = ("contains", "pattern", "equals")
    KIND = "dom_text"
    selector: Text | None = None
    contains: Text | None = None
    pattern: Text | None = None
    equals: Annotated[str, Meta(max_length=10_000)] | None = None


class DomCount(Leaf, frozen=True, kw_only=True):
    """How many elements a CSS selector matches."""

    KIND = "dom_count"
    selector: Text
    op: Op = "eq"
    value: Annotated[int, Meta(ge=0)]


class Network(Leaf, frozen=True, kw_only=True):
    """A request was made; `since` bounds when: a moment's name, or milliseconds since 1970."""

    PATTERNS: ClassVar[tuple[str, ...]] = ("url_pattern",)
    KIND = "network"
    NEEDS = "network"
    url_pattern: Text
    status_in: Annotated[tuple[Status, ...], Meta(min_length=1, max_length=100)] | None = None
    method: Annotated[str, Meta(min_length=1, max_length=20)] | None = None
    since: Literal["contract_enter", "last_tool_call"] | Annotated[float, Meta(ge=0)] | None = None


class Console(Leaf, frozen=True, kw_only=True):
    """How many entries the console has: at most `max` (default: 0), at least `min`."""

    PATTERNS: ClassVar[tuple[str, ...]] = ("pattern",)
    KIND = "console"
    NEEDS = "console"
    level: str | tuple[str, ...] | None = None
    pattern: Text | None = None
    max: Annotated[int, Meta(ge=0)] | None = None
    min: Annotated[int, Meta(ge=0)] | None = None
    none: bool | None = None

    def check(self, place: str) -> None:
        """Raise invalid_argument for bounds that exclude each other."""
        super().check(place)
        if self.none is not None and (self.max is not None or self.min is not None):
            raise invalid(place, "console takes either none, or max and min")
        low, high = self.bounds
        if high is not None and low > high:
            raise invalid(place, f"console: min {low} is above max {high}")

    @property
    def bounds(self) -> tuple[int, int | None]:
        """The least and the most entries (None: any number)."""
        if self.none is not None:
            return (0, 0) if self.none else (1, None)
        if self.max is None and self.min is None:
            return 0, 0
        return self.min or 0, self.max

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that count; () for all."""
        return (self.level,) if isinstance(self.level, str) else self.level or ()


class Performance(Leaf, frozen=True, kw_only=True):
    """A metric within a bound."""

    KIND = "performance"
    NEEDS = "performance"
    metric: Text
    op: Op = "lte"
    value: float


class ScreenshotClass(Leaf, frozen=True, kw_only=True):
    """The page looks like an exemplar: a picture or its hash, or a class or bundle by its id."""

    KIND = "screenshot_class"
    NEEDS = "screenshot"
    ONE_OF: ClassVar[tuple[str, ...]] = ("class_id", "exemplar", "hash")
    class_id: Annotated[str, Meta(min_length=1, max_length=10_240)] | None = None
    exemplar: Annotated[str, Meta(min_length=1)] | None = None
    hash: Annotated[str, Meta(pattern="^[0-9a-fA-F]{16}$")] | None = None
    distance_max: Annotated[int, Meta(ge=0, le=64)] = 10


class NoDialog(Leaf, frozen=True, kw_only=True):
    """No alert, confirm or prompt is open."""

    KIND = "no_dialog"
    NEEDS = "dialog"


_ALL = (Url, DomText, DomCount, Network, Console, Performance, ScreenshotClass, NoDialog)
KINDS: dict[str, type[Leaf]] = {leaf.KIND: leaf for leaf in _ALL}

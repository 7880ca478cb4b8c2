"""The JSON results of verbs that act on a page."""

from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta


class ElementName(TypedDict):
    """An element's role and accessible name."""

    role: str
    name: str


class OpenDialog(TypedDict):
    """A dialog of the page's scripts."""

    type: Annotated[str, Meta(description="alert, confirm, prompt or beforeunload")]
    message: str


class OpenedTab(TypedDict):
    """A tab opened by the page."""

    tab_id: str
    url: str


class FrameAddress(TypedDict):
    """A frame's current URL."""

    url: str


class PermissionPrompt(TypedDict):
    """A permission that the page requested."""

    name: str
    state: str


class DownloadReport(TypedDict):
    """A downloaded file, or a download in progress."""

    url: NotRequired[str]
    file: str
    path: NotRequired[Annotated[str, Meta(description="Where it is")]]
    size: Annotated[int, Meta(description="Bytes received so far")]
    total: NotRequired[Annotated[int, Meta(description="Total bytes, during the download")]]
    state: str


class InvalidField(TypedDict):
    """A field whose value the browser, or the page that answered its form, does not accept."""

    ref: str
    role: str
    name: str
    message: Annotated[str, Meta(description="Chromium's note, or the page's")]


class TakenBackField(TypedDict):
    """A field that the page has changed since it was filled by an earlier call."""

    ref: str
    role: str
    name: str
    held: Annotated[Any, Meta(description="Its current value")]


class Changed(TypedDict, total=False):
    """The effects of an action; an absent key did not happen."""

    url: str
    navigated: bool
    title: str | None
    status: int | None
    loading: Annotated[bool, Meta(description="The new page was still loading")]
    net_error: Annotated[str, Meta(description="Why the load failed")]
    frames: Annotated[list[FrameAddress], Meta(description="Frames that navigated")]
    dialog: Annotated[OpenDialog, Meta(description="Open, waiting for an answer")]
    broken_off: Annotated[str, Meta(description="Why the new page is incomplete")]
    beforeunload: Annotated[str, Meta(description="accepted: the page asked to stay")]
    closed: Annotated[bool, Meta(description="The page closed its own tab")]
    invalid: Annotated[
        list[InvalidField], Meta(description="Fields that keep the form from being submitted")
    ]
    not_valid: Annotated[
        list[InvalidField], Meta(description="Fields whose new value the browser does not accept")
    ]
    rejected: Annotated[
        list[InvalidField],
        Meta(description="Fields that the page that answered a form marks as wrong"),
    ]
    taken_back: Annotated[
        list[TakenBackField], Meta(description="Fields that do not hold what they were given")
    ]
    link_kept: Annotated[bool, Meta(description="The page stopped the link, and nothing changed")]
    unanswered: Annotated[
        str, Meta(description="Nothing has changed yet, and this request has no answer yet")
    ]
    script_error: Annotated[
        str, Meta(description="Nothing has changed, and a script of the page failed meanwhile")
    ]
    popups: list[OpenedTab]
    popups_refused: Annotated[list[str], Meta(description="Addresses; there are too many tabs")]
    external_links: Annotated[
        list[str], Meta(description="Addresses for other programs (tel:, mailto:), not opened")
    ]
    started_programs: Annotated[
        list[str], Meta(description="Addresses that the browser has handed to other programs")
    ]
    tabs_closed: list[str]
    current_tab: Annotated[str | None, Meta(description="The latest tab now")]
    permissions: list[PermissionPrompt]
    file_chooser: Annotated[
        bool, Meta(description="A file chooser opened, and was closed: upload the file instead")
    ]
    downloads: list[DownloadReport]
    added: Annotated[int, Meta(description="New lines of the outline")]
    removed: int
    moved: int
    values: int
    attributes: int


class Position(TypedDict):
    """The scroll position of an area, in CSS pixels."""

    x: int
    y: int


class ScrollSizes(TypedDict):
    """The size of the scrolled content, and of its visible part."""

    scroll_width: float
    scroll_height: float
    client_width: float
    client_height: float


class ActionReply(TypedDict):
    """The result of an action."""

    tab_id: str
    now: Annotated[str, Meta(description="The topmost layer of the page, and the focused element")]
    changed: Changed
    content: NotRequired[
        Annotated[str, Meta(description="What changed, a line each, in the page's words")]
    ]


class DragKeys(TypedDict, total=False):
    """The result of a drag."""

    source: dict[str, Any]
    target: dict[str, Any]
    method: Annotated[str, Meta(description="html5 or pointer")]
    place: Annotated[str, Meta(description="The item's position in its list now")]
    accepted: Annotated[bool, Meta(description="Whether the page accepted the drop")]


class Picture(TypedDict):
    """An image in the reply."""

    mime_type: str
    data: Annotated[str, Meta(description="Its bytes in base64")]

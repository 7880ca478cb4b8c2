"""Spellings of verbs that people and agents guess: `oc click e12` is `oc interact e12 click`.

They are data only: words, the verb, the parameters that the words fix, and which parameters need no
option. Help, completion and errors take everything else from the verb.
"""

from __future__ import annotations

from oc.command_line import command_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from oc.command_line.command_names import Entry

_MILLISECONDS = {"type": "integer", "description": "Milliseconds"}

# By words: the verb, the parameters they fix, the positional parameters, the summary.
ALIASES: dict[str, tuple[str, dict[str, Any], tuple[str, ...], str]] = {
    "open": ("navigate", {}, ("url",), "Open a page"),
    "goto": ("navigate", {}, ("url",), "Open a page"),
    "back": ("navigate", {"url": "back"}, (), "Go back one page"),
    "forward": ("navigate", {"url": "forward"}, (), "Go forward one page"),
    "reload": ("page_reload", {}, (), "Reload the page"),
    "snapshot": ("read_page", {"mode": "outline"}, (), "Read the page as an outline with refs"),
    "text": ("read_page", {"mode": "text"}, (), "Read the page as plain text"),
    "markdown": ("read_page", {"mode": "markdown"}, (), "Read the page as Markdown"),
    "html": ("page_content", {}, ("selector",), "Read the page's HTML"),
    "click": ("interact", {"action": "click"}, ("ref",), "Click an element"),
    "dblclick": ("interact", {"action": "double_click"}, ("ref",), "Double-click an element"),
    "rightclick": ("interact", {"action": "right_click"}, ("ref",), "Right-click an element"),
    "hover": ("interact", {"action": "hover"}, ("ref",), "Move the pointer over an element"),
    "focus": ("interact", {"action": "focus"}, ("ref",), "Focus an element"),
    "check": ("interact", {"action": "check"}, ("ref",), "Check a checkbox or radio button"),
    "uncheck": ("interact", {"action": "uncheck"}, ("ref",), "Uncheck a checkbox"),
    "press": ("interact", {"action": "press"}, ("value",), "Press a key, for example Enter"),
    "select": ("interact", {"action": "select"}, ("ref", "value"), "Choose an option"),
    "type": (
        "interact", {"action": "type"}, ("ref", "value"),
        "Type into an element, or where the focus is",
    ),
    "scrollintoview": (
        "interact", {"action": "scroll_into_view"}, ("ref",), "Scroll an element into view",
    ),
    "fill": ("form_input", {}, ("ref", "value"), "Set the value of a form field"),
    "upload": ("file_upload", {}, ("ref", "file_paths"), "Upload files to a file input"),
    "drag": ("drag_drop", {}, ("source_ref", "target_ref"), "Drag one element onto another"),
    "scroll": ("lightweight_scroll", {}, ("direction", "amount"), "Scroll the page"),
    "eval": ("javascript_tool", {}, ("code",), "Run JavaScript in the page"),
    "wait": ("wait_for", {"type": "timeout"}, ("value",), "Wait for a number of milliseconds"),
    "wait load": ("wait_for", {"type": "load"}, (), "Wait until the page has loaded"),
    "wait idle": ("wait_for", {"type": "idle"}, (), "Wait until the network is quiet"),
    "wait download": ("wait_for", {"type": "download"}, (), "Wait until a file is downloaded"),
    "wait text": ("wait_for", {"type": "text"}, ("value",), "Wait until text appears"),
    "wait url": ("wait_for", {"type": "url_match"}, ("value",), "Wait until the URL matches"),
    "wait --selector": (
        "wait_for", {"type": "selector"}, ("value",), "Wait until an element exists",
    ),
    "screenshot": ("page_screenshot", {}, ("path",), "Take a screenshot"),
    "pdf": ("page_pdf", {}, ("path",), "Print the page to a PDF file"),
    "console": ("console_capture", {}, (), "Show the console's messages"),
    "requests": ("network", {"action": "list"}, ("url",), "List the page's requests"),
    "tab": ("tabs_context", {}, ("tab_id",), "List the tabs, or make one the current tab"),
    "tab list": ("tabs_context", {}, (), "List the tabs"),
    "tab new": ("tabs_create", {}, ("url",), "Open a new tab"),
    "tab close": ("tabs_close", {}, ("tab_ids",), "Close tabs"),
    "close": ("tabs_close", {"all": True}, (), "Close every tab of the session"),
    "dialog accept": (
        "interact", {"action": "accept_dialog"}, ("value",), "Accept the dialog that is open",
    ),
    "dialog dismiss": (
        "interact", {"action": "dismiss_dialog"}, (), "Dismiss the dialog that is open",
    ),
    "get text": ("query_dom", {"get": "text"}, ("ref",), "Print an element's text"),
    "get value": ("query_dom", {"get": "value"}, ("ref",), "Print a field's value"),
    "get attr": (
        "query_dom", {"get": "attribute"}, ("ref", "attribute"), "Print an attribute",
    ),
    "get count": ("query_dom", {"get": "count"}, ("ref",), "Count matching elements"),
    "get url": ("query_dom", {"get": "url"}, (), "Print the page's URL"),
    "get title": ("query_dom", {"get": "title"}, (), "Print the page's title"),
    "is visible": ("query_dom", {"get": "visible"}, ("ref",), "Check if an element is visible"),
    "is enabled": ("query_dom", {"get": "enabled"}, ("ref",), "Check if an element is enabled"),
    "is checked": ("query_dom", {"get": "checked"}, ("ref",), "Check whether a box is checked"),
    "resize": ("emulate_device", {}, ("width", "height"), "Set the viewport size"),
    "set viewport": ("emulate_device", {}, ("width", "height"), "Set the viewport size"),
    "set device": ("emulate_device", {}, ("preset",), "Emulate a device"),
    "set offline": (
        "network", {"action": "throttle", "preset": "offline"}, (), "Disconnect the network",
    ),
    "set online": (
        "network", {"action": "throttle", "preset": "clear"}, (), "Reconnect the network",
    ),
    "state save": ("oc_context_export", {}, ("path",), "Save the site's login to a file"),
    "state load": ("oc_context_import", {}, ("envelope_path",), "Restore a login from a file"),
}  # fmt: skip

# Parameters that are required here although not for the verb, or have another schema here.
_REQUIRED = {
    "press": ("value",), "select": ("value",), "type": ("value",), "wait": ("value",),
    "wait text": ("value",), "wait url": ("value",), "wait --selector": ("value",),
    "pdf": ("path",), "upload": ("file_paths",), "get attr": ("attribute",),
    "resize": ("width", "height"), "set viewport": ("width", "height"), "set device": ("preset",),
    "state save": ("path",), "state load": ("envelope_path",),
}  # fmt: skip
# Commands whose only argument is that one: `oc type TEXT` types where the focus is.
_LONE = {"type": "value"}
_SCHEMAS: dict[str, dict[str, Any]] = {"wait": {"value": _MILLISECONDS}}

# First words that may be followed by a second one.
NOUNS = frozenset(words.partition(" ")[0] for words in ALIASES if " " in words)


def find(words: str, index: Mapping[str, Entry]) -> Entry | None:
    """Return the entry of an alias: the verb's, with its words, without the fixed parameters."""
    row = ALIASES.get(words)
    if row is None or row[0] not in index:
        return None
    verb, fixed, positional, summary = row
    entry = index[verb]
    properties = entry["params"]["properties"] | _SCHEMAS.get(words, {})
    left = {name: schema for name, schema in properties.items() if name not in fixed}
    required = _REQUIRED.get(words) or entry["params"].get("required", ())
    return {
        **entry,
        "words": tuple(words.split()),
        "fixed": fixed,
        "positional": tuple(name for name in positional if name in left),
        "lone": _LONE.get(words, ""),
        "summary": summary,
        "params": {
            **entry["params"],
            "properties": left,
            "required": [name for name in required if name not in fixed],
        },
    }


def command_line(entry: Entry, arguments: Mapping[str, Any], index: Mapping[str, Entry]) -> str:
    """Return a command to paste that calls a verb, by an alias if one fits.

    The alias is the one that fixes most of the arguments; a parameter's default counts as given.
    """
    properties = entry["params"]["properties"]
    full = {name: schema.get("default") for name, schema in properties.items()} | {**arguments}
    best, most = entry, -1
    for words, (verb, fixed, _, _) in ALIASES.items():
        fits = all(full.get(key) == fixed[key] for key in fixed)
        matches = verb == entry["name"] and fits and arguments.keys() >= {*_REQUIRED.get(words, ())}
        if matches and len(fixed) > most:
            best, most = find(words, index) or entry, len(fixed)
    left = {name: value for name, value in arguments.items() if name not in best.get("fixed", ())}
    return command_names.command_line(best, left)


def entries(index: Mapping[str, Entry]) -> Iterator[Entry]:
    """Yield the entry of every alias, with what it stands for in its text."""
    for words in ALIASES:
        if entry := find(words, index):
            line = command_names.command_line(index[entry["name"]], dict(entry["fixed"]))
            yield {**entry, "doc": f"The same as: {line}\n\n{entry['doc']}".strip()}

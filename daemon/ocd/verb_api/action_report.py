"""The effects of an action, one line each, the same for every client."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ocd.api.spelling import truncate
from ocd.api.tool_calls import ANSWER_DIALOG

_MAX_URL = 300  # characters; `changed` has all of it
_UNITS = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))


def event_lines(data: Mapping[str, Any]) -> list[str]:
    """Return a line for each event in an action's result, most important first.

    data: the result's JSON, with `changed`.
    """
    changed = data["changed"]
    lines = [*_dialog(changed), *_drag(data), *_submission(data), *_fields(changed)]
    return [
        *lines,
        *_places(changed, data.get("now", "")),
        *_tabs(changed),
        *_files(changed),
        *_refusals(changed),
    ]


def _dialog(changed: Mapping[str, Any]) -> Iterator[str]:
    if dialog := changed.get("dialog"):
        message = _quote(dialog["message"])
        yield f"dialog: {dialog['type']} {message} is open; answer it: {ANSWER_DIALOG}"


def _submission(data: Mapping[str, Any]) -> Iterator[str]:
    if "submitted" in data:
        yield "submitted" if data["submitted"] else "not submitted"


def _fields(changed: Mapping[str, Any]) -> Iterator[str]:
    """Yield the complaints of the browser or the page, and why nothing has changed."""
    for field in changed.get("invalid", ()):
        yield f"not submitted: {_field(field)}: {field['message']}"
    for field in changed.get("not_valid", ()):
        yield f"not valid: {_field(field)}: {field['message']}"
    for field in changed.get("rejected", ()):
        why = f": {field['message']}" if field["message"] else ""
        yield f"rejected: {_field(field)}{why}"
    for field in changed.get("taken_back", ()):
        held = json.dumps(field["held"], ensure_ascii=False)
        yield f"no longer as filled: {_field(field)} holds {held}"
    if changed.get("link_kept"):
        yield "not followed: the page kept the link from being followed, and nothing else changed"
    if "unanswered" in changed:
        yield f"no answer yet: {changed['unanswered']}"
    if "script_error" in changed:
        yield f"a script of the page failed: {changed['script_error']}"


def _field(field: Mapping[str, Any]) -> str:
    name = f" {_quote(field['name'])}" if field["name"] else ""
    return f"{field['role']}{name} [ref={field['ref']}]"


def _drag(data: Mapping[str, Any]) -> Iterator[str]:
    if "method" in data and "source" in data:
        # What moved anyway was taken, whatever the page said to the browser.
        refused = "" if data.get("place") else ", not accepted"
        accepted = {None: "", True: ", accepted", False: refused}[data.get("accepted")]
        place = f"{data['place']}; " if data.get("place") else ""
        yield f"dragged: {place}{data['method']}{accepted}"


def _places(changed: Mapping[str, Any], now: str) -> Iterator[str]:
    """Yield where the page is now, as far as `now` does not say it already."""
    title = changed.get("title") and _quote(changed["title"])
    parts = now.replace("page ", "", 1).split(" · ")
    url = truncate(changed.get("url", ""), _MAX_URL)
    if "beforeunload" in changed:
        yield "left although the page asked to stay (beforeunload)"
    if changed.get("navigated"):
        status = f"({changed['status']})" if "status" in changed else ""
        news = [part for part in (url, title) if part and part not in parts]
        yield " ".join(filter(None, ("navigated:" if news else "navigated", *news, status)))
    elif url and url not in parts:
        yield f"url: {url}"
    for frame in changed.get("frames", ()):
        yield f"frame navigated: {truncate(frame['url'], _MAX_URL)}"
    if changed.get("loading"):
        yield "the page is still loading"
    if "broken_off" in changed:
        yield f"the page is incomplete, its load ended early: {changed['broken_off']}"
    if "net_error" in changed:
        yield f"the load failed: {changed['net_error']}"


def _tabs(changed: Mapping[str, Any]) -> Iterator[str]:
    for popup in changed.get("popups", ()):
        yield f"tab opened: {popup['tab_id']} {truncate(popup['url'], _MAX_URL)}"
    for tab_id in changed.get("tabs_closed", ()):
        yield f"tab closed: {tab_id}"
    if "current_tab" in changed:
        yield f"current tab: {changed['current_tab']}"


def _files(changed: Mapping[str, Any]) -> Iterator[str]:
    for file in changed.get("downloads", ()):
        size, total = _size(file["size"]), file.get("total")
        of = f" of {_size(total)}" if total else ""
        path = f": {file['path']}" if "path" in file else ""
        yield f"download: {file['file']}, {size}{of}, {file['state'].replace('_', ' ')}{path}"


def _refusals(changed: Mapping[str, Any]) -> Iterator[str]:
    for url in changed.get("popups_refused", ()):
        yield f"pop-up refused, the session is at its tab limit: {url}"
    for url in changed.get("external_links", ()):
        yield f"link to another program, not opened: {url}"
    for url in changed.get("started_programs", ()):
        yield f"opened in another program, by the browser: {url}"
    for prompt in changed.get("permissions", ()):
        yield f"permission {prompt['name']}: {prompt['state']}"
    if changed.get("file_chooser"):
        yield "a file chooser opened, and was closed: upload the file to this element"


def _size(size: int) -> str:
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} bytes"


def _quote(text: str) -> str:
    return '"' + " ".join(text.split()) + '"'

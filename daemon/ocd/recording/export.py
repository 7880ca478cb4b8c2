"""What a recording becomes outside: data, a report, a program, a plan."""

from typing import Any, Literal

from ocd.recording import export_html, export_plan, export_python
from ocd.recording.store import RecordingMeta, Recordings
from ocd.verb_api.declaration import Output

Format = Literal["json", "html", "python_pyppeteer", "python_playwright", "plan"]


def export(
    store: Recordings, meta: RecordingMeta, about: dict[str, Any], format_: Format
) -> Output:
    """Return the recording in that format; blocks. `about` is the recording as callers know it."""
    actions = store.actions(meta.recording_id)
    if format_ == "json":
        return Output(data={"recording": about, "actions": actions}, items=("actions",))
    if format_ == "plan":
        return Output(data=export_plan.plan_of(about, actions), items=("steps",))
    if format_ == "html":
        pictures = lambda name: store.picture(meta.recording_id, name)  # noqa: E731
        text, kind = export_html.html(about, actions, pictures), "text/html"
    else:
        text, kind = export_python.program(about, actions, format_), "text/x-python"
    data = {"recording_id": meta.recording_id, "format": format_, "action_count": len(actions)}
    return Output(data=data, content=text, content_type=kind)

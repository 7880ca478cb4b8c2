"""A recording as one HTML file with its pictures; it loads nothing and runs nothing."""

import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from ocd.recording.element_locators import action_line

Pictures = Callable[[object], bytes | None]

_STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 70em; padding: 0 1em;
  color: #1d2329; background: #fff }
h1 { font-size: 1.5em; margin-bottom: .2em }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1em 1em; margin: 0 0 1em }
dt { color: #5c6670 } dd { margin: 0; overflow-wrap: anywhere }
section { border-top: 1px solid #d5dbe1; padding: .8em 0; content-visibility: auto;
  contain-intrinsic-size: auto 9em }
h2 { font-size: 1.05em; margin: 0 0 .3em } h2 small { color: #5c6670; font-weight: normal }
.failed h2 { color: #a3191c }
pre { background: #f3f5f7; margin: .3em 0; padding: .5em .7em; white-space: pre-wrap;
  overflow-wrap: anywhere }
figure { display: inline-block; margin: .4em .8em 0 0; width: 45%; vertical-align: top }
img { border: 1px solid #d5dbe1; max-width: 100% } figcaption { color: #5c6670 }
""".strip()
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_TOLD = ("recording_id", "session", "status", "started_at", "ended_at", "ended_by", "action_count")


def html(about: Mapping[str, Any], actions: Sequence[Mapping[str, Any]], picture: Pictures) -> str:
    """Return the report. `picture` gives the bytes of a screenshot by its name."""
    title = escape(str(about["name"] or about["recording_id"]))
    facts = {key.replace("_", " "): about[key] for key in _TOLD if about.get(key) not in (None, "")}
    facts["failed"] = sum(not action["ok"] for action in actions)
    head = (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{title}</title>\n<style>\n{_STYLE}\n</style>\n<h1>{title}</h1>\n{_facts(facts)}\n"
    )
    return head + "".join(_section(action, picture) for action in actions) + "</html>\n"


def _facts(facts: Mapping[str, object]) -> str:
    rows = "".join(f"<dt>{escape(key)}<dd>{escape(str(value))}" for key, value in facts.items())
    return f"<dl>{rows}</dl>" if rows else ""


def _section(action: Mapping[str, Any], picture: Pictures) -> str:
    figures = [_figure(action, when, picture) for when in ("before", "after")]
    return (
        f'<section class="{"ok" if action["ok"] else "failed"}" id="a{int(action["seq"])}">\n'
        f"<h2>{int(action['seq'])}. {escape(action_line(action))} "
        f"<small>{escape(action['verb'])}, {action['duration_ms']:g} ms</small></h2>\n"
        f"{_facts(_page(action))}\n{_details(action)}{''.join(figures)}</section>\n"
    )


def _page(action: Mapping[str, Any]) -> dict[str, object]:
    facts: dict[str, object] = {"time": action["ts"]}
    for key, name in (("tab_id", "tab"), ("error", "error"), ("screenshot_error", "no picture")):
        if action.get(key):
            facts[name] = _value_text(action[key])
    for key in ("url", "title"):
        before, after = action.get(f"{key}_before", ""), action.get(f"{key}_after", "")
        if before or after:
            moved = before and after and before != after
            facts[key] = f"{before} → {after}" if moved else after or before
    return facts


def _details(action: Mapping[str, Any]) -> str:
    parts = [_value_text(action["params"])] if action["params"] else []
    if action.get("changed"):
        parts.append(f"changed: {_value_text(action['changed'])}")
    parts += action.get("lines", ())
    return f"<pre>{escape(chr(10).join(parts))}</pre>\n" if parts else ""


def _value_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _figure(action: Mapping[str, Any], when: str, picture: Pictures) -> str:
    name = action.get(f"screenshot_{when}")
    data = picture(name) if name else None
    if data is None:
        return f"<p>The picture {escape(str(name))} is missing.\n" if name else ""
    source = f"data:image/webp;base64,{b64encode(data).decode()}"
    label = f"{when} action {int(action['seq'])}"
    return f'<figure><img src="{source}" alt="{label}"><figcaption>{when}</figcaption></figure>\n'

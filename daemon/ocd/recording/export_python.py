"""A recording as a Python program for pyppeteer or Playwright."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from ocd.recording.element_locators import Target, action_line, by_selector, targets
from ocd.recording.replay_steps import Recorded, omission_reason, replay_call
from ocd.safety.redact import MASK

Dialect = Literal["python_pyppeteer", "python_playwright"]

_PRELUDES = Path(__file__).with_name("preludes")
_PLACE = re.compile(r"\$\{SECRET:(\w+)\}")
_CLICKS = {"click": ("left", 1), "double_click": ("left", 2), "right_click": ("right", 1)}


def program(about: Mapping[str, Any], actions: Sequence[Recorded], dialect: Dialect) -> str:
    """Return the source. It finds elements by role and name, else by an attribute.

    Secrets that were not recorded come from the environment, as the program itself says.
    """
    prelude = (_PRELUDES / f"{dialect}.txt").read_text(encoding="utf-8")
    script = _Script()
    for action in actions:
        script.add(action)
    title = repr(f"{about['name'] or about['recording_id']}, recorded {about['started_at']}")
    waits = dialect == "python_pyppeteer"
    lines = [line if waits else line.removeprefix("await ") for line in script.lines]
    body = "".join(f"    {line}\n" for line in [*lines, "return None"])
    return (
        prelude.replace("TITLE", title, 1)
        .replace("ANSWERS = []", f"ANSWERS = [{', '.join(script.answers)}]", 1)
        .replace("    STEPS\n", body, 1)
    )


class _Script:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.answers: list[str] = []
        self._begun = False
        self._secrets = 0

    def add(self, action: Recorded) -> None:
        why = omission_reason(action)
        words = _comment(f"{action['seq']}. {action_line(action)}")
        if why:
            self.lines.append(f"{words}  (left out: {_one_line(why)})")
            return
        verb, params = replay_call(action)
        if not self._begun:
            self._begin(action, verb)
        self.lines.append(words)
        made = getattr(self, f"_{verb}", None)
        lines = made(action, params) if made else None
        self.lines += lines or [_comment(f"not translated: {verb} {params!r}")]

    def _begin(self, action: Recorded, verb: str) -> None:
        self._begun = True
        url = action.get("url_before", "")
        if url and url != "about:blank" and verb not in ("navigate", "tabs_create"):
            self.lines.append(f"await play.goto({_tab(action)}, {url!r})")

    def _text(self, value: object) -> str:
        """Return an expression for a value; secrets come from the environment."""
        if isinstance(value, str) and (MASK in value or _PLACE.search(value)):
            parts = re.split(r"(\$\{SECRET:\w+\}|\[redacted\])", value)
            return " + ".join(self._part(part) for part in parts if part)
        return repr(value)

    def _part(self, part: str) -> str:
        place = _PLACE.fullmatch(part)
        if place:
            return f"secret({place[1]!r})"
        if part != MASK:
            return repr(part)
        self._secrets += 1
        return f"secret('SECRET_{self._secrets}')"

    # One method for each verb: the lines that do it again; None if they cannot.

    def _navigate(self, action: Recorded, params: dict[str, Any]) -> list[str]:
        url = str(params.get("url", ""))
        if url in ("back", "forward"):
            return [f"await play.{url}({_tab(action)})"]
        landed = action.get("url_after", url)
        address = url if "://" in url or url.startswith(("data:", "about:")) else landed
        return [f"await play.goto({_tab(action)}, {self._text(address)})"]

    def _page_reload(self, action: Recorded, _params: dict[str, Any]) -> list[str]:
        return [f"await play.reload({_tab(action)})"]

    def _tabs_create(self, action: Recorded, params: dict[str, Any]) -> list[str]:
        return [f"await play.open({_tab(action)}, {self._text(params.get('url', ''))})"]

    def _tabs_close(self, action: Recorded, params: dict[str, Any]) -> list[str]:
        if params.get("all"):
            return ["await play.close_all()"]
        ids = params.get("tab_ids") or [params.get("tab_id") or action.get("tab_id")]
        return [f"await play.close({tab_id!r})" for tab_id in ids]

    def _interact(self, action: Recorded, params: dict[str, Any]) -> list[str] | None:
        word, value = params.get("action", "click"), params.get("value", "")
        if word in ("accept_dialog", "dismiss_dialog"):
            self.answers.append(f"({word == 'accept_dialog'!r}, {self._text(value)})")
            return [_comment("the dialog is answered from ANSWERS")]
        found = targets(action)
        if word == "press" and (not found or found[0]["role"] == "html"):
            return [f"await play.press({_tab(action)}, None, {value!r})"]
        if not found:
            return None
        where = f"{_tab(action)}, {_element(found[-1])}"
        if word in _CLICKS:
            button, count = _CLICKS[word]
            keys = tuple(params.get("modifiers", ()))
            return [f"await play.click({where}, {button!r}, {count}, {keys!r})"]
        if word in ("check", "uncheck"):
            return [f"await play.check({where}, {word == 'check'!r})"]
        if word in ("select", "press", "type"):
            return [f"await play.{word}({where}, {self._text(value)})"]
        return [f"await play.{word}({where})"]

    def _form_input(self, action: Recorded, params: dict[str, Any]) -> list[str] | None:
        found = targets(action)
        if not found or "value" not in params:
            return None
        return [self._fill_value(action, found[0], params["value"])]

    def _fill_form(self, action: Recorded, params: dict[str, Any]) -> list[str]:
        found = {target["named"]: target for target in targets(action)}
        lines, last = [], None
        fields = action["params"].get("fields", ())
        if isinstance(fields, dict):
            fields = [{"query": name, "value": value} for name, value in fields.items()]
        for field in fields:
            name = next(
                (field[k] for k in ("ref", "selector", "query", "label") if field.get(k)), None
            )
            if name in found:
                last = found[name]
                lines.append(self._fill_value(action, last, field["value"]))
            else:
                lines.append(_comment(f"not found then: {field!r}"))
        submit = action["params"].get("submit", False)
        if isinstance(submit, str) and submit in found:
            where = f"{_tab(action)}, {_element(found[submit])}"
            lines.append(f"await play.click({where}, 'left', 1, ())")
        elif submit and last is not None:
            lines.append(f"await play.submit({_tab(action)}, {_element(last)})")
        return lines

    def _fill_value(self, action: Recorded, target: Target, value: object) -> str:
        where = f"{_tab(action)}, {_element(target)}"
        return f"await play.fill({where}, {self._text(value)})"

    def _javascript_tool(self, action: Recorded, params: dict[str, Any]) -> list[str] | None:
        if "code" not in params:
            return None
        return [f"await play.run({_tab(action)}, {self._text(params['code'])})"]

    def _wait_for(self, action: Recorded, params: dict[str, Any]) -> list[str]:
        value, most = params.get("value", ""), params.get("timeout_ms", 30_000)
        kind = params.get("type")
        return [f"await play.wait({_tab(action)}, {kind!r}, {value!r}, {most})"]

    def _lightweight_scroll(self, action: Recorded, params: dict[str, Any]) -> list[str]:
        found = [target for target in targets(action) if target["role"] != "html"]
        where = _element(found[0]) if found else "None"
        way, much = params.get("direction", "down"), params.get("amount")
        return [f"await play.scroll({_tab(action)}, {where}, {way!r}, {much!r})"]


def _tab(action: Recorded) -> str:
    return repr(action.get("tab_id") or "t1")


def _element(target: Target) -> str:
    """Return the arguments of the program's `find`, as a dictionary."""
    arguments = {
        "role": target["role"],
        "name": target.get("name", ""),
        "css": by_selector(target),
        "around": target.get("around", ""),
    }
    return f"dict({', '.join(f'{key}={value!r}' for key, value in arguments.items() if value)})"


def _comment(text: str) -> str:
    return f"# {_one_line(text)}"


def _one_line(text: str) -> str:
    # No character that ends a line for Python may end the comment.
    return "".join(filter(str.isprintable, " ".join(text.split())))[:300]

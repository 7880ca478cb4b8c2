"""Other tools of the shell at the same tasks, each by the loop that its own guide teaches.

The policy, the same for both, and kind to them where it leaves a choice:

- A page is read by a snapshot; what is acted on is looked up in it by role and name, and acted on
  by its ref. A name that the newest snapshot has needs no new one, whatever was done since.
- Another snapshot is taken where a name is not known, or where a ref failed (once). Where a form
  did not open, the click that was to open it is made once more.
- Commands between two looks are one call: `agent-browser batch --bail`, for playwright-cli one
  line of the shell with `&&`.
- What was awaited is looked for by the shortest command that tells: `wait --text`, or `find`; where
  it is not seen so, by a snapshot. Whether the task is done, the application's data say.
- What has no command of its own is done by the nearest: presses of the mouse at the box of an
  element for another button or a drag to a place, `run-code` for several options of a list.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from field.tasks.agent import Shell, Step
from support.daemon import Home

_LINE = re.compile(r'^\s*- (\w+)(?: "((?:[^"\\]|\\.)*)")?(.*)$')
_REF = re.compile(r"ref=((?:f\d+)?e\d+)\]")
_FIELDS = ("textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch",
           "spinbutton", "slider")  # fmt: skip
_HANDLED = ("button", "link", "menuitem", "tab", "option", "treeitem", *_FIELDS)
# What a snapshot calls otherwise than our outline does, found on its lines as an agent would.
_CALLED = {
    "Add user": re.compile(r'link "Users".*?(link) "(Add)"([^\n]*)', re.DOTALL),
}
# Asked for by no name: where the focus is, else what has no name, else the last.
_EDITORS = ("textbox", "textbox.*multiline")
_CHROMIUM = ("chromium", "chromium-browser", "google-chrome")


@dataclass(frozen=True)
class Found:
    """What a line of a snapshot offers."""

    role: str
    name: str
    ref: str
    line: str


class Rival(Shell):
    """A tool of the shell with snapshots and refs."""

    command: str
    snapshot: tuple[str, ...]  # the command that prints one

    def __init__(self, home: Home) -> None:
        super().__init__(home)
        self._shown = ""  # the newest snapshot, "" if the page is another one
        self._last: tuple[str, ...] = ()  # the newest click
        self._settle = False  # whether something was done that a page may answer to
        self._chromium = next(filter(None, map(shutil.which, _CHROMIUM)))

    def begin(self) -> None:
        super().begin()
        self._shown, self._last = "", ()

    def stop(self) -> None:
        """End the browser."""
        self._start(self.command, "close")

    # Looks

    def _settled(self) -> None:
        """Wait for what was done, where the tool's commands do not."""

    def _look(self) -> None:
        if self._settle:
            self._settled()
        self._settle = False
        self.do(*self.snapshot)
        self._shown = self.finish()

    def _offers(self) -> Iterator[Found]:
        for line in self._shown.splitlines():
            found, ref = _LINE.match(line), _REF.search(line)
            if found and ref:
                yield Found(found[1], found[2] or "", ref[1], line)

    def _best(self, words: str, roles: tuple[str, ...], exactly: bool = False) -> Found | None:
        """Return what the words name best, first what has one of the roles; a field has one."""
        if called := words in _CALLED and _CALLED[words].search(self._shown):
            return Found(called[1], called[2], _REF.findall(called[3])[0], called[3])
        wanted = words.casefold()
        fits: tuple[Callable[[Found], bool], ...] = (
            lambda found: found.name == words,
            lambda found: found.name.casefold().rstrip(" :*") == wanted,
            lambda found: found.line.endswith(f": {words}"),
            lambda found: found.name.casefold().startswith(wanted),
            lambda found: wanted in found.line.casefold(),
        )
        only = roles in (_FIELDS, ("listbox",))
        offers = [found for found in self._offers() if found.role in roles or not only]
        for fit in fits[:2] if exactly else fits:
            fitting = [found for found in offers if fit(found)]
            for found in (*(one for one in fitting if one.role in roles), *fitting):
                return found
        return None

    def _find(self, words: str, roles: tuple[str, ...] = _HANDLED) -> Found | None:
        """Return what the newest snapshot names so, else what another one has that is like it."""
        found = self._best(words, roles, exactly=True)
        if not found:
            self._look()
            found = self._best(words, roles)
        return found

    def _by_pattern(self, pattern: str) -> Found:
        """Return what stands on the first line that a pattern for our outline fits."""
        spelled = pattern.replace('value="', "")
        for read in (bool(self._shown), False):
            if not read:
                self._look()
            offers = list(self._offers())
            if pattern in _EDITORS:
                boxes = [found for found in offers if found.role == "textbox"]
                fitting = [box for box in boxes if "[active]" in box.line]
                fitting += [box for box in boxes if not box.name] + boxes[-1:]
            else:
                fitting = [found for found in offers if re.search(spelled, found.line)]
            if fitting:
                return fitting[0]
        words = re.sub(r"^(button|link|textbox)|\W+", " ", spelled).strip()
        found_by_words = self._best(words, _HANDLED)
        assert found_by_words, f"nothing for {pattern!r} in:\n{self._shown[-3000:]}"
        return found_by_words

    # Spellings, which differ

    def _target(self, words: str, found: Found | None) -> str:
        raise NotImplementedError

    def _choose(self, found: Found, values: list[str]) -> None:
        raise NotImplementedError

    def _right_click(self, target: str) -> None:
        raise NotImplementedError

    def _box(self, target: str) -> list[float]:
        raise NotImplementedError

    # Acts

    def by_ref(self, pattern: str, action: str = "click", *value: str) -> None:
        """Act on what stands on the first line that the pattern fits."""
        if action == "press":
            self.press(*value)
            return
        found = self._by_pattern(pattern)
        self._act(found.name, found, action)

    def act(
        self, words: str, action: str = "click", roles: tuple[str, ...] = _HANDLED, of: str = ""
    ) -> None:
        """Act on what the words name: the first one, of whatever it is."""
        found = self._find(words, roles)
        self._act(words, found, action)

    def go(self, words: str) -> None:
        """Click what leads to another page."""
        self.act(words)

    def _act(self, words: str, found: Found | None, action: str) -> None:
        target = self._target(words, found)
        self._settle = True
        if action == "right_click":
            self._right_click(target)
            return

        def once_more() -> None:
            self._look()
            self.do(verb, self._target(words, self._best(words, _HANDLED)))

        verb = {"double_click": "dblclick"}.get(action, action)
        self._last = (verb, target)
        self.do(verb, target, instead=once_more)

    def fill(self, fields: dict[str, object], submit: str = "") -> None:
        """Fill in a form field by field."""
        for name, value in fields.items():
            self._set(name, value)
        if submit:
            self.act(submit, roles=("button",))
            self._shown = ""

    def _set(self, name: str, value: object) -> None:
        found = self._find(name, _FIELDS)
        if not found and self._last:  # what was to open the form did not: once more
            self.do(*self._last)
            self._settle = True
            found = self._find(name, _FIELDS)
        assert found, f"no field {name!r} in:\n{self._shown[-3000:]}"
        target = self._target(found.name, found)
        if value is True:
            self.do("check", target, instead=lambda: self._set_again(name, "check"))
        elif found.role in ("combobox", "listbox"):
            self.do("select", target, str(value),
                    instead=lambda: self._set_again(name, "fill", str(value)))  # fmt: skip
        else:
            self.do("fill", target, str(value),
                    instead=lambda: self._set_again(name, "fill", str(value)))  # fmt: skip

    def _set_again(self, name: str, verb: str, *value: str) -> None:
        self._look()
        self.do(verb, self._target(name, self._best(name, _FIELDS)), *value)

    def put(self, pattern: str, value: str) -> None:
        """Set the field whose line the pattern fits."""
        found = self._by_pattern(pattern)

        def once_more() -> None:
            self._look()
            again = self._by_pattern(pattern)
            self.do("fill", self._target(again.name, again), value)

        self.do("fill", self._target(found.name, found), value, instead=once_more)
        self._settle = True

    def fill_list(self, words: str, values: list[str]) -> None:
        """Choose several options of a list."""
        found = self._find(words, ("listbox",))
        assert found, words
        self._choose(found, values)

    def drag(self, words: str, x: int, y: int) -> None:
        """Drag what has the words to a place of the window, as a hand does."""
        left, top, width, height = self._box(self._target(words, self._find(words)))
        for place in ((left + width / 2, top + height / 2), (x, y)):
            self._move(*map(round, place))
            self._button("down" if place != (x, y) else "up")
        self._settle = True

    def _move(self, x: int, y: int) -> None:
        raise NotImplementedError

    def _button(self, change: str, button: str = "left") -> None:
        raise NotImplementedError

    def press(self, keys: str) -> None:
        """Press keys where the focus is."""
        self.do("press", keys.replace("ctrl+", "Control+"))
        self._settle = True


class AgentBrowser(Rival):
    """agent-browser: it does not wait for what a click sets off, so a look waits for the net."""

    command = "agent-browser"
    snapshot = ("snapshot", "-i")

    def __init__(self, home: Home) -> None:
        super().__init__(home)
        home.environ |= {
            "AGENT_BROWSER_EXECUTABLE_PATH": self._chromium or "",
            "AGENT_BROWSER_ARGS": "--no-sandbox",
            "AGENT_BROWSER_SESSION": home.base.name,
        }

    def _carry_out(self, steps: list[Step]) -> tuple[int, int]:
        lines = json.dumps([step.words for step in steps])
        run = self._start(self.command, "batch", "--bail", stdin=lines)
        status = self._count(run)
        done = len([block for block in run.stdout.split("\n\n") if block.strip()])
        return (min(done + 1, len(steps)) if status else len(steps)), status

    def _settled(self) -> None:
        self.do("wait", "--load", "networkidle")

    def open(self, url: str) -> None:
        self.finish()
        self._shown = ""
        self.do("open", url)

    def wait(self, words: str) -> None:
        """Wait until the page shows the words."""
        self.do("wait", "--text", words)

    def expect(self, words: str) -> bool:
        """Return whether the page is seen to say these words."""
        self.do("wait", "--text", words, instead=self._look)
        return words in self.finish()

    def accept_dialog(self) -> None:
        """Accept the dialog that the page has opened."""
        self.do("dialog", "accept")

    def _target(self, words: str, found: Found | None) -> str:
        return f"@{found.ref}" if found else f'xpath=//*[normalize-space(text())="{words}"]'

    def _choose(self, found: Found, values: list[str]) -> None:
        self.do("select", f"@{found.ref}", *values)

    def _right_click(self, target: str) -> None:
        left, top, width, height = self._box(target)
        self._move(round(left + width / 2), round(top + height / 2))
        self._button("down", "right")
        self._button("up", "right")

    def _box(self, target: str) -> list[float]:
        self.do("get", "box", target)
        return [float(number) for number in re.findall(r"(?:x|y|th|ht): +([\d.]+)", self.finish())]

    def _move(self, x: int, y: int) -> None:
        self.do("mouse", "move", str(x), str(y))

    def _button(self, change: str, button: str = "left") -> None:
        self.do("mouse", change, button)


class PlaywrightCli(Rival):
    """playwright-cli: it waits by itself, and prints where it put a snapshot."""

    command = "playwright-cli"
    snapshot = ("snapshot",)

    def __init__(self, home: Home) -> None:
        super().__init__(home)
        launch = {"executablePath": self._chromium, "chromiumSandbox": False}
        config = {"browser": {"browserName": "chromium", "launchOptions": launch}}
        (home.base / ".playwright").mkdir()
        (home.base / ".playwright" / "cli.config.json").write_text(json.dumps(config))
        self._opened = False

    def _carry_out(self, steps: list[Step]) -> tuple[int, int]:
        runs: list[subprocess.CompletedProcess[str]] = []
        for step in steps:
            runs.append(self._start(self.command, *step.words))
            if runs[-1].returncode:
                break
        return len(runs), self._count(*runs)

    def open(self, url: str) -> None:
        self.finish()
        self._shown = ""
        self.do("goto" if self._opened else "open", url)
        self._opened = True

    def wait(self, words: str) -> None:
        """Wait until the page shows the words."""
        shows = f"document.body.innerText.includes({json.dumps(words)})"
        self._run_code(f"page.waitForFunction({json.dumps(shows)})")

    def expect(self, words: str) -> bool:
        """Return whether the page is seen to say these words."""
        self.do("find", words)
        if "No matches found" not in self.finish():
            return True
        self._look()
        return words in self._shown

    def accept_dialog(self) -> None:
        """Accept the dialog that the page has opened."""
        self.do("dialog-accept")

    def _run_code(self, expression: str) -> None:
        self.do("run-code", f"async page => await {expression}")

    def _target(self, words: str, found: Found | None) -> str:
        return found.ref if found else f"getByText({json.dumps(words)})"

    def _choose(self, found: Found, values: list[str]) -> None:
        locator = f"page.locator('aria-ref={found.ref}')"
        self._run_code(f"{locator}.selectOption({json.dumps(values)})")

    def _right_click(self, target: str) -> None:
        self.do("click", target, "right")

    def _box(self, target: str) -> list[float]:
        asked = (
            "el => { const b = el.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }"
        )
        self.do("eval", asked, target)
        box: list[float] = json.loads(self.finish().split("### Result", 1)[1].split("###", 1)[0])
        return box

    def _move(self, x: int, y: int) -> None:
        self.do("mousemove", str(x), str(y))

    def _button(self, change: str, button: str = "left") -> None:
        self.do(f"mouse{change}", button)


RIVALS: dict[str, type[Rival]] = {kind.command: kind for kind in (AgentBrowser, PlaywrightCli)}

"""One task on its page: the outline in lines, acting on them, and the page's own verdict."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from support.daemon import Daemon

# role "name" (hint) [ref=e1] what else is said
_LINE = re.compile(
    r'(?P<role>[a-z]+)(?P<name> "(?:[^"\\]|\\.)*")?(?: \((?P<hint>[^)]*)\))?'
    r"(?: \[ref=(?P<ref>e\d+)\])?(?P<rest>.*)",
    re.DOTALL,
)
# What every page of MiniWoB++ has besides the task: its own line, and the counters at the end.
_COUNTERS = re.compile(r"^- page |canvas .*160x210")
_COUNTER = re.compile(r"(?:Last reward|Last 10|Time left|Episodes).*|-")
_TIME_LIMIT_MS = 600_000  # the pages' ten seconds are for machines with nothing else to do


# What is alone in a box shares its line, before any words: `list > listitem [ref=e3]: Words`.
_BOX_OF_ONE = re.compile(r'((?:"(?:[^"\\]|\\.)*"|[^":]|:(?! ))*?) > ')
# A list of a few words each, which stand behind it.
_LIST = re.compile(r'list(?: "(?:[^"\\]|\\.)*")?(?: \([^)]*\))?(?: \[ref=e\d+\])?')

# A run of one role, each with its name or hint, if it has one, and its ref.
_RUN = re.compile("(?!row$|headers$|listitem$|text$)[a-z]+(?: [a-z]+)*")
_IN_RUN = re.compile(r'(?:"(?:[^"\\]|\\.)*" |\([^)]*\) )?\[ref=e\d+\]')


class NeedsEyesError(Exception):
    """The page shows as a picture what it asks for."""


@dataclass(frozen=True)
class Line:
    """One thing of the outline; `text` is its name, or else the words behind it."""

    role: str
    name: str
    hint: str
    ref: str
    rest: str

    @property
    def text(self) -> str:
        return self.name or self.rest.removeprefix(":").strip()

    @property
    def value(self) -> str:
        found = re.search(r'value=("(?:[^"\\]|\\.)*")', self.rest)
        return str(json.loads(found[1])) if found else ""

    def is_called(self, words: str) -> bool:
        return self.text.casefold() == words.casefold()


def parse_line(text: str) -> Line:
    found = _LINE.match(text)
    if found is None:
        return Line("text", "", "", "", text)
    name = json.loads(found["name"]) if found["name"] else ""
    return Line(found["role"], name, found["hint"] or "", found["ref"] or "", found["rest"])


def _parse_cell(text: str) -> Line:
    return parse_line(text) if "[ref=" in text else Line("text", text, "", "", "")


def parse_outline(content: str) -> list[Line]:
    """Return the things that an outline names, those of one line one after the other."""
    lines: list[Line] = []
    for line in content.splitlines():
        stripped = line.strip().removeprefix("- ").removeprefix("+ ")
        if not stripped or _COUNTERS.search(line):
            continue
        while box := _BOX_OF_ONE.match(stripped):
            lines += _parse_part(box[1])
            stripped = stripped[box.end() :]
        lines += _parse_part(stripped)
    return [one for one in lines if one.role != "text" or not _COUNTER.fullmatch(one.text)]


def _parse_part(text: str) -> list[Line]:
    prefix, _, cells = text.partition(": ")
    parts = [cell.replace("\\|", "|") for cell in cells.split(" | ")]
    if _LIST.fullmatch(prefix):
        return [parse_line(prefix), *(Line("listitem", "", "", "", f": {cell}") for cell in parts)]
    if _RUN.fullmatch(prefix) and all(_IN_RUN.match(cell) for cell in parts):
        role, between, states = prefix.partition(" ")
        return [parse_line(f"{role} {cell}{between}{states}") for cell in parts]
    if prefix == "headers":
        parts = [f"columnheader {part}" if part.startswith("[ref=") else part for part in parts]
    if prefix in {"row", "headers", "listitem"} and (len(parts) > 1 or "[ref=" in cells):
        return [_parse_cell(cell) for cell in parts]
    if prefix == "text":
        return [Line("text", "", "", "", f": {cell}") for cell in parts]
    return [parse_line(text)]


class Episode:
    """`Episode(daemon, url, seed)` opens the page and begins; `reward()` is the page's verdict."""

    def __init__(self, daemon: Daemon, url: str, seed: int) -> None:
        self._daemon = daemon
        daemon.do("navigate", url=url)
        self._script(
            f"core.EPISODE_MAX_TIME = {_TIME_LIMIT_MS}; Math.seedrandom({seed!r});"
            " core.startEpisodeReal(); true"
        )
        self.instruction = self.lines()[0].text

    def _script(self, code: str) -> object:
        return self._daemon.do("javascript_tool", code=code)["content"]

    def reward(self) -> float:
        """Return the reward without its share for speed, -2 if the page still waits."""
        return float(str(self._script("WOB_DONE_GLOBAL ? WOB_RAW_REWARD_GLOBAL : -2")))

    # --- looking -----------------------------------------------------------------------------

    def outline(self) -> str:
        return str(self._daemon.do("read_page")["content"])

    def lines(self) -> list[Line]:
        return parse_outline(self.outline())

    def those(self, *roles: str) -> list[Line]:
        """Return what has one of the roles and can be acted on."""
        return [line for line in self.lines() if line.role in roles and line.ref]

    def called(self, words: str, *roles: str) -> Line:
        """Return the one line of that name, or fail."""
        return self.first(line for line in self.lines() if line.is_called(words)
                          and (not roles or line.role in roles))  # fmt: skip

    def hinted(self, hint: str) -> Line:
        return self.first(line for line in self.lines() if line.hint == hint)

    def first(self, lines: Iterable[Line]) -> Line:
        for line in lines:
            return line
        raise AssertionError(f"no such line in:\n{self.outline()}")

    def find(self, words: str) -> list[Line]:
        found = self._daemon.do("find", query=words, wait_for_ms=0)
        return parse_outline(str(found["content"]))

    def quoted(self) -> list[str]:
        """Return what the instruction has in quotation marks."""
        return re.findall(r'"([^"]*)"', self.instruction)

    def asked(self, pattern: str) -> str:
        """Return what a group of the pattern matches in the instruction."""
        found = re.search(pattern, self.instruction)
        assert found, self.instruction
        return found[1]

    # --- acting ------------------------------------------------------------------------------

    def act(self, target: Line | str, action: str = "click", **more: object) -> str:
        """Act on a line by its ref, or on what words name; return what changed."""
        place = {"query": target if isinstance(target, str) else target.text}
        if isinstance(target, Line) and target.ref:
            place = {"ref": target.ref}
        done = self._daemon.do("interact", action=action, **place, **more)
        return str(done.get("content") or "")

    def click(self, *targets: Line | str) -> None:
        for target in targets:
            self.act(target)

    def fill(self, target: Line | str, value: object) -> None:
        place = {"ref": target.ref} if isinstance(target, Line) else {"query": target}
        self._daemon.do("form_input", value=value, **place)

    def fill_all(self, fields: dict[str, object]) -> None:
        self._daemon.do("fill_form", fields=fields)

    def press(self, target: Line | str, key: str, times: int = 1) -> None:
        for _ in range(times):
            self.act(target, "press", value=key)

    def submit(self, words: str = "Submit") -> None:
        self.click(self.called(words, "button", "clickable"))

    def drag(self, source: Line, target: Line) -> None:
        self._daemon.do("drag_drop", source_ref=source.ref, target_ref=target.ref)

    def drag_to(self, source: Line, x: float, y: float) -> None:
        self._daemon.do("drag_drop", source_ref=source.ref, target_x=x, target_y=y)

    def mouse(self, action: str, **more: object) -> None:
        self._daemon.do("computer", action=action, **more)

    def scroll(self, target: Line, direction: str) -> None:
        self._daemon.do("lightweight_scroll", ref=target.ref, direction=direction)

    def place(self, target: Line) -> list[float]:
        """Point at it and return where that is."""
        done = self._daemon.do("computer", action="hover", ref=target.ref)
        coordinate: list[float] = done["coordinate"]
        return coordinate

    def wait(self, ms: int) -> None:
        self._daemon.do("wait_for", type="timeout", value=ms)

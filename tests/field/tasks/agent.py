"""An agent at a shell: what it reads, what it has to look up again, and what that costs."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support.daemon import Home

_REF = re.compile(r"\[ref=(e\d+)\]")
_TIMEOUT_S = 120
_READ = ("read-page", "--compression", "delta")
# What changes no more of a page than the fields' values, as a rule.
_FILLS = ("form-input", "fill-form")


@dataclass(frozen=True)
class Cost:
    """Calls made, characters read, and calls that failed."""

    calls: int = 0
    characters: int = 0
    failed: int = 0

    def __add__(self, other: Cost) -> Cost:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Cost(*(one + two for one, two in pairs))

    def __str__(self) -> str:
        return f"{self.calls} calls, {self.characters} characters, {self.failed} failed"


@dataclass(frozen=True)
class Step:
    """A command, and what the agent does instead if it fails."""

    words: tuple[str, ...]
    instead: Callable[[], None] | None = None


class Shell:
    """Commands of one tool in a home of its own; everything printed is counted.

    Commands between two looks at what they print are carried out together.
    """

    def __init__(self, home: Home) -> None:
        self._home = home
        self._steps: list[Step] = []
        self._said = ""
        self.cost = Cost()

    def begin(self) -> None:
        """Begin another task: nothing is left to do, and the page may be any."""
        self._steps, self.cost = [], Cost()

    def do(self, *words: str, instead: Callable[[], None] | None = None) -> None:
        """Have a command carried out with the next ones."""
        self._steps.append(Step(words, instead))

    def finish(self) -> str:
        """Carry out what is still to be done; return what the last call printed."""
        while self._steps:
            steps, self._steps = self._steps, []
            done, status = self._carry_out(steps)
            if status == 0:
                continue
            failed, rest = steps[done - 1], steps[done:]
            assert failed.instead is not None, (failed.words, self._said)
            failed.instead()
            self._steps += rest
        return self._said

    def _carry_out(self, steps: list[Step]) -> tuple[int, int]:
        """Run commands up to the first that fails; return how many ran, and the last status."""
        raise NotImplementedError

    def _start(self, command: str, *args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [command, *args], env=self._home.environ, cwd=self._home.base, text=True,
            timeout=_TIMEOUT_S, input=stdin, capture_output=True, check=False,
        )  # fmt: skip

    def _count(self, *runs: subprocess.CompletedProcess[str]) -> int:
        """Count what ran as one call; return the last status."""
        self._said = "".join(run.stdout + run.stderr for run in runs)
        status = runs[-1].returncode
        self.cost += Cost(1, len(self._said), int(status != 0))
        return status


class Agent(Shell):
    """`oc` of one checkout with a home of its own; everything printed is counted.

    It names nothing that it has not read: what no reply about the page says, it looks up, by
    `read-page` once after it opened a page, by `find` later. What it read of a site it need not
    read again: it asks for the difference. Commands between two looks go together where this `oc`
    takes several at once, else one by one.
    """

    def __init__(self, scripts: Path, home: Home) -> None:
        super().__init__(home)
        home.environ["PATH"] = f"{scripts}{os.pathsep}{home.environ['PATH']}"
        self._oc = str(scripts / "oc")
        self._batches = self._start(self._oc, "batch", "--help").returncode == 0
        self._seen: list[str] = []  # replies about the page that shows
        self._earlier: list[str] = []  # readings of pages that were left
        self._read = False  # whether it was read since it was opened

    def begin(self) -> None:
        super().begin()
        self._leave()

    def stop(self) -> None:
        """End the daemon."""
        subprocess.run([self._oc.removesuffix("oc") + "ocd", "stop"], env=self._home.environ,
                       check=False, capture_output=True)  # fmt: skip

    def _carry_out(self, steps: list[Step]) -> tuple[int, int]:
        """Run commands up to the first that fails; return how many ran, and the last status."""
        if len(steps) > 1 and self._batches:
            lines = "\n".join(json.dumps(step.words) for step in steps)
            status = self._count(self._start(self._oc, "batch", stdin=lines))
            stopped = re.search(r"Stopped: (\d+) of", self._said)
            return int(stopped[1]) if stopped else len(steps), status
        for number, step in enumerate(steps, 1):
            if status := self._count(self._start(self._oc, *step.words)):
                return number, status
        return len(steps), 0

    def _count(self, *runs: subprocess.CompletedProcess[str]) -> int:
        status = super()._count(*runs)
        self._seen.append(self._said)
        return status

    # Looks

    def _knows(self, words: str) -> bool:
        """Whether a reply about the page has the words, or says that a page has that had them."""
        return any(words in said for said in (*self._seen, *self._earlier_alike()))

    def _look(self, words: str) -> None:
        """Read the page, or of one that was read what has the words."""
        again = ("find", words) if words else ("read-page",)
        self.do(*(again if self._read else _READ))
        self._read = True
        self.finish()

    def _learn(self, *all_words: str) -> None:
        """Read until the words are known, or there is nothing more to read."""
        for words in all_words:
            if self._read and not self._knows(words):
                self.finish()  # does what was asked for so far bring it?
            if not self._knows(words):
                self._look(words)

    def _follow(self, pattern: str) -> None:
        """Know that the page is another one, if what was clicked was read as a link to one."""
        said = "\n".join((*self._seen, *self._earlier_alike()))
        if re.search(rf"{pattern}[^→|\n]*→ [^#\s]+(?=\s)", said, re.MULTILINE):
            self._leave()

    def _earlier_alike(self) -> list[str]:
        """Return readings of pages of which a reply says that this one has parts."""
        return self._earlier if any("as before: " in said for said in self._seen) else []

    def _leave(self) -> None:
        self._earlier += self._seen
        self._seen, self._read = [], False

    def ref(self, pattern: str) -> str:
        """Return the ref on the newest line that the pattern fits, reading on where none does."""
        words = re.sub(r"\W+", " ", pattern).strip()
        if not self._read:
            self._look("")
        elif any(step.words[0] == "wait-for" for step in self._steps):
            self._look(words)  # what is waited for is told by no reply
        elif any(step.words[0] not in _FILLS for step in self._steps):
            self.finish()
        for look in ((), ("find", words), _READ, ("read-page",)):
            if look:
                self.do(*look)
                self.finish()
            for said in reversed(self._seen):
                for line in said.splitlines():
                    found = re.search(pattern, line)
                    ref = found and _REF.search(line, found.start())
                    if ref:
                        return ref[1]
        raise AssertionError(f"no ref for {pattern!r} in:\n{self._said[-3000:]}")

    def expect(self, words: str) -> bool:
        """Know that the page says these words: by the last reply, or by looking."""
        if words in self.finish():
            return True
        for look in (("find", words), ("read-page",)):
            self.do(*look)
            if words in self.finish():
                return True
        raise AssertionError((words, self._said[-2000:]))

    # Acts

    def open(self, url: str) -> None:
        self.finish()
        self._leave()
        self.do("navigate", url)

    def wait(self, words: str) -> None:
        """Wait until the page, which takes its time to start, shows the words."""
        if self._batches:
            self.do("wait-for", "text", words)
            return
        shows = f"document.body?.innerText.includes({json.dumps(words)})"
        self.do("wait-for", "function", shows)

    def act(self, words: str, action: str = "click", *value: str, of: str = "") -> None:
        """Act by words; where that fails, by the ref of the first candidate that has them.

        of: what it belongs to, where several things are called so.
        """
        self._learn(words, *([of] if of else []))
        given = ("--value", *value) if value else ()

        def by_candidate() -> None:
            offered = re.search(f"{re.escape(words)}.*?{_REF.pattern}", self._said)
            ref = offered[1] if offered else self.ref(re.escape(words))
            self.do("interact", ref, action, *value)

        query = f"{of} {words}" if of else words
        self.do("interact", "--query", query, "--action", action, *given, instead=by_candidate)
        if action == "click":
            self._follow(rf'"[^"\n]*{re.escape(words)}[^"\n]*" \[ref=')

    def go(self, words: str) -> None:
        """Click what leads to another page, as its words say: a link, or the button of a form."""
        self.act(words)
        self._leave()

    def by_ref(self, pattern: str, action: str = "click", *value: str) -> None:
        """Act on what stands on the newest line that the pattern fits."""
        ref = self.ref(pattern)
        self.do("interact", ref, action, *value)
        if action == "click":
            self._follow(rf"\[ref={ref}\]")

    def fill(self, fields: dict[str, object], submit: str = "") -> None:
        """Fill in a form by its labels; what failed once more, each by its ref."""
        self._learn(*fields, *([submit] if submit else []))

        def one_by_one() -> None:
            said = self._said
            failed = [name for name in fields if re.search(rf"{re.escape(name)}'?: ", said)]
            for name in failed or fields:
                self.do("form-input", self.ref(re.escape(name)), str(fields[name]))
            if submit:
                self.act(submit)

        pressed = ("--submit", submit) if submit else ()
        self.do("fill-form", json.dumps(fields), *pressed, instead=one_by_one)
        if submit:
            self._leave()

    def put(self, pattern: str, value: str) -> None:
        """Set the field whose line the pattern fits."""
        self.do("form-input", self.ref(pattern), value)

    def fill_list(self, words: str, values: list[str]) -> None:
        """Choose several options of a list."""
        self._learn(words)

        def by_ref() -> None:
            self.do("form-input", self.ref(re.escape(words)), json.dumps(values))

        self.do("form-input", "--query", words, "--value", json.dumps(values), instead=by_ref)

    def drag(self, words: str, x: int, y: int) -> None:
        """Drag what has the words to a place of the window."""
        self._learn(words)
        place = ("--target-x", str(x), "--target-y", str(y))
        self.do("drag-drop", "--source-query", words, *place)

    def press(self, keys: str) -> None:
        """Press keys where the focus is."""
        self.do("computer", "key", "--text", keys)

    def accept_dialog(self) -> None:
        """Accept the dialog that the page has opened."""
        self.do("interact", "--action", "accept_dialog")

"""An agent at a shell: what it reads, what it has to look up again, and what that costs."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from support.daemon import Home

_REF = re.compile(r"\[ref=(e\d+)\]")
_TIMEOUT_S = 120


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


class Agent:
    """`oc` of one checkout with a home of its own; everything printed is counted.

    It acts by words, and by refs that it has read. What a reply does not say it looks up: with
    `find` for a word that it expects, with `read-page` where that finds nothing.
    """

    def __init__(self, scripts: Path, home: Home) -> None:
        self._oc = str(scripts / "oc")
        self._home = home
        self.cost = Cost()
        self._seen: list[str] = []  # replies about the page that shows

    def oc(self, *args: str) -> str:
        """Run a command and return what it prints; failures are for the caller to look at."""
        done = subprocess.run(
            [self._oc, *args], env=self._home.environ, cwd=self._home.base, text=True,
            timeout=_TIMEOUT_S, stdin=subprocess.DEVNULL, capture_output=True, check=False,
        )  # fmt: skip
        said = done.stdout + done.stderr
        self.cost += Cost(1, len(said), int(done.returncode != 0))
        self._seen.append(said)
        self.status = done.returncode
        self.said = said
        return said

    def stop(self) -> None:
        """End the daemon."""
        subprocess.run([self._oc.removesuffix("oc") + "ocd", "stop"], env=self._home.environ,
                       check=False, capture_output=True)  # fmt: skip

    def open(self, url: str) -> None:
        self._seen = []
        self.oc("navigate", url)

    def ref(self, pattern: str) -> str:
        """Return the ref on the newest line that the pattern fits, reading on where none does."""
        for look in (None, ("find", re.sub(r"\W+", " ", pattern).strip()), ("read-page",)):
            if look:
                self.oc(*look)
            for said in reversed(self._seen):
                for line in said.splitlines():
                    found = re.search(pattern, line)
                    ref = found and _REF.search(line, found.start())
                    if ref:
                        return ref[1]
        raise AssertionError(f"no ref for {pattern!r} in:\n{self.said[-3000:]}")

    def act(self, words: str, action: str = "click", *value: str) -> None:
        """Act by words; where that fails, by the ref of the first candidate that has them."""
        self.oc("interact", "--query", words, "--action", action,
                *(("--value", *value) if value else ()))  # fmt: skip
        if self.status == 0:
            return
        offered = re.search(f"{re.escape(words)}.*?{_REF.pattern}", self.said)
        ref = offered[1] if offered else self.ref(re.escape(words))
        self.oc("interact", ref, action, *value)
        assert self.status == 0, self.said

    def by_ref(self, pattern: str, action: str = "click", *value: str) -> None:
        """Act on what stands on the newest line that the pattern fits."""
        self.oc("interact", self.ref(pattern), action, *value)
        assert self.status == 0, self.said

    def wait(self, words: str) -> None:
        """Wait until the page, which takes its time to start, shows the words."""
        self.oc("wait-for", "function", f"document.body?.innerText.includes({json.dumps(words)})")
        assert self.status == 0, self.said

    def fill(self, fields: dict[str, object], submit: str = "") -> None:
        """Fill in a form by its labels; what failed once more, each by its ref."""
        self.oc("fill-form", json.dumps(fields), *(("--submit", submit) if submit else ()))
        failed = [name for name in fields if re.search(rf"{re.escape(name)}'?: ", self.said)]
        if self.status:
            for name in failed or fields:
                self.oc("form-input", self.ref(re.escape(name)), str(fields[name]))
            if submit:
                self.act(submit)

    def put(self, pattern: str, value: str) -> None:
        """Set the field whose line the pattern fits."""
        self.oc("form-input", self.ref(pattern), value)
        assert self.status == 0, self.said

    def fill_list(self, words: str, values: list[str]) -> None:
        """Choose several options of a list."""
        self.oc("form-input", "--query", words, "--value", json.dumps(values))
        if self.status:
            self.oc("form-input", self.ref(re.escape(words)), json.dumps(values))
            assert self.status == 0, self.said

    def expect(self, words: str) -> None:
        """Know that the page says these words: by the last reply, or by looking."""
        if words in self.said:
            return
        found = self.oc("find", words)
        if words not in found:
            assert words in self.oc("read-page"), (words, self.said[-2000:])

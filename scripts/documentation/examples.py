"""Run the examples of the reference with a real daemon, and read what they have answered.

`make examples` runs them on the fixture site, in a home of their own, and writes docs/examples.txt:
for each verb a heading, its commands and their output. What differs from run to run (addresses,
folders, ids, times) is written as a fixed value of the same form.
"""

import re
import subprocess
import tomllib
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = ROOT / "docs" / "examples.txt"
# Where README lets the practice site listen, and whose computer it is.
SITE, HOME = "http://127.0.0.1:8000", "/home/ada"
_LINES, _WIDTH = 24, 150
_DAY = "2026-01-05"
_ALIKE = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), f"{_DAY}T09:30:00.000Z"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"), f"{_DAY} 09:30:00"),
    (re.compile(r"\b20\d{6}-\d{6,9}\b"), "20260105-093000"),
    (re.compile(r"(?<=20260105-093000-)[0-9a-f]{6}\b"), "a1b2c3"),
    (re.compile(r"(?<=pid: )\d+|(?<=\"pid\":)\d+"), "4711"),
    (re.compile(r"\b[0-9A-F]{32}\b"), "0123456789ABCDEF0123456789ABCDEF"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "0123456789abcdef" * 4),
    (re.compile(r"\bap_[0-9a-f]{6}\b"), "ap_a1b2c3"),
    (re.compile(r"\btrace_[0-9a-f]{12}\b"), "trace_a1b2c3d4e5f6"),
    (re.compile(r'(?<="frame":")[0-9A-F]{8}\b'), "A1B2C3D4"),
    (re.compile(r"\b\d+ (?=(MB|GB) free)"), "50000 "),
    (re.compile(r"(?<=127\.0\.0\.1:)\d{4,5}\b"), "8000"),
)
# Ids get one value each, in order of appearance.
_NUMBERED = (
    (re.compile(r"\b[0-9a-f]{16}\b"), "0123456789abcd{:02x}"),
    (re.compile(r"\boh_[A-Z2-7]{12}\b"), "oh_ABCDEFGHIJ{}A"),
    (re.compile(r"\bev_[A-Z2-7]{12}\b"), "ev_ABCDEFGHIJ{}A"),
)


@dataclass(frozen=True)
class Example:
    """The commands of one verb: `before` brings the browser there, `run` is shown."""

    run: list[str]
    before: list[str] = field(default_factory=list)
    keep: dict[str, str] = field(default_factory=dict)
    fails: bool = False


def declared() -> dict[str, Example]:
    """Return the examples by verb, in the order in which they run."""
    text = Path(__file__).with_name("examples.toml").read_text(encoding="utf-8")
    return {verb: Example(**table) for verb, table in tomllib.loads(text).items()}


def written() -> dict[str, str]:
    """Return what the verbs have answered: the commands with their output, by verb."""
    sections = re.split(r"(?m)^==> ", WRITTEN.read_text(encoding="utf-8"))[1:]
    return {name: body.strip("\n") for name, _, body in (one.partition("\n") for one in sections)}


class Shell:
    """Runs commands in a home with a site, and writes down what a reader shall see."""

    def __init__(self, environ: dict[str, str], folder: Path, site: str) -> None:
        self.environ, self.folder, self.site = environ, folder, site
        self.values: dict[str, str] = {}
        self._ids: dict[str, str] = {}

    def answer(self, example: Example) -> str:
        """Return the shown commands with their output."""
        for command in example.before:
            self.run(command, example)
        return "\n".join(self.run(command, example) for command in example.run)

    def run(self, template: str, example: Example) -> str:
        command = self._filled(template.strip())
        done = subprocess.run(
            ["/bin/sh", "-c", command], env=self.environ, cwd=self.folder, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        if done.returncode and not example.fails:
            raise SystemExit(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
        for name, pattern in example.keep.items():
            if found := re.search(pattern, done.stdout):
                self.values[name] = found[0]
        return self.alike(_shortened(f"$ {command}\n{done.stdout}{done.stderr}"))

    def _filled(self, template: str) -> str:
        for name, value in {"site": self.site, "base": str(self.folder), **self.values}.items():
            template = template.replace(f"{{{name}}}", value)
        return template

    def alike(self, text: str) -> str:
        """Return the text with a fixed value for what differs from run to run."""
        text = text.replace(self.site, SITE)
        text = text.replace(self.environ["OPENCHROME_HOME"], f"{HOME}/.openchrome")
        text = text.replace(str(self.folder), HOME).replace(str(ROOT), f"{HOME}/openchrome")
        for pattern, value in _ALIKE:
            text = pattern.sub(value, text)
        for pattern, form in _NUMBERED:
            text = pattern.sub(partial(self._number, form), text)
        return text

    def _number(self, form: str, found: re.Match[str]) -> str:
        return self._ids.setdefault(found[0], form.format(len(self._ids) + 1))


def _shortened(text: str) -> str:
    lines = [
        line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
        for line in (line.rstrip() for line in text.rstrip().splitlines())
    ]
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], "…"]
    return "\n".join(lines)


def main() -> None:
    """Run them all and write what they answered."""
    from support.daemon import Daemon
    from support.site import Site

    with Site() as site, Daemon() as daemon:
        shell = Shell(daemon.home.environ, daemon.home.base, site.origin)
        answers = {verb: shell.answer(example) for verb, example in declared().items()}
    sections = [f"==> {verb}\n{answer}\n" for verb, answer in answers.items()]
    WRITTEN.write_text("\n".join(sections), encoding="utf-8")
    print(f"{WRITTEN.relative_to(ROOT)}: {len(answers)} verbs")


if __name__ == "__main__":
    main()

"""Shell transcripts: `$ command`, its exact output, `== exit N` if that is not 0.

Lines of stderr begin with `2> `. What differs from run to run is written as a placeholder: {home},
{base}, {site}, {pid}, {time}, {duration}, {rate}, and {task1}, {handle1} … in order of appearance,
which later commands may use. Events of progress, which only a slow machine has, are left out.
Everything else is literal; lines before the first `$` are prose.
"""

import re
import subprocess
from dataclasses import dataclass, field

from support.daemon import Home

NAMED = {"task": re.compile(r"\b[0-9a-f]{16}\b"), "handle": re.compile(r"\boh_[A-Z2-7]{12}\b")}
ANONYMOUS = [
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "{time}"),
    (re.compile(r"(?<=pid: )\d+|(?<=pid )\d+|(?<=\"pid\":)\d+"), "{pid}"),
    (re.compile(r"(?<=pages_per_s: )[\d.]+|(?<=  0       )[\d.]+$"), "{rate}"),
    (re.compile(r"\b\d+(\.\d+)?(?= ?(ms|s)\b)"), "{duration}"),
]
SOMETIMES = "{time}  progress  "


@dataclass
class Shell:
    """Runs the commands of one transcript and records the output for review."""

    home: Home
    site: str
    names: dict[str, str] = field(default_factory=dict)

    def replay(self, transcript: str) -> str:
        """Return the transcript with the output that its commands have now."""
        prose, *commands = re.split(r"(?m)^\$ ", transcript)
        return prose + "".join(self._run(text.splitlines()[0]) for text in commands)

    def _run(self, command: str) -> str:
        real = command.replace("{site}", self.site).replace("{base}", str(self.home.base))
        for value, name in self.names.items():
            real = real.replace(name, value)
        done = subprocess.run(
            ["/bin/sh", "-c", real], env=self.home.environ, cwd=self.home.base, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False,
        )  # fmt: skip
        lines = [*done.stdout.splitlines(), *(f"2> {line}" for line in done.stderr.splitlines())]
        if done.returncode:
            lines.append(f"== exit {done.returncode}")
        shown = [self._masked(line).rstrip() for line in lines]
        return "\n".join([f"$ {command}", *(s for s in shown if not s.startswith(SOMETIMES)), ""])

    def _masked(self, line: str) -> str:
        fixed = {self.home.path: "{home}", self.home.base: "{base}", self.site: "{site}"}
        for value, name in fixed.items():
            line = line.replace(str(value), name)
        for kind, pattern in NAMED.items():
            line = pattern.sub(lambda match, kind=kind: self._name(kind, match[0]), line)  # type: ignore[misc]
        for pattern, name in ANONYMOUS:
            line = pattern.sub(name, line)
        return line

    def _name(self, kind: str, value: str) -> str:
        number = 1 + sum(name.startswith(f"{{{kind}") for name in self.names.values())
        return self.names.setdefault(value, f"{{{kind}{number}}}")

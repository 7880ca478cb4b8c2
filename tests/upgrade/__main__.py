"""Build an older release, let it fill a home, kill it, and let this one read all of it.

`PYTHONPATH=tests python -m upgrade v0.1.0` (or any commit; default: the newest tag before). Its
wheel is installed with its own dependencies into an empty environment. What the older release
cannot do is said and passed over; exit 1 if anything that it wrote is not understood.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.daemon import PROGRAM, Daemon
from support.site import Site
from support.webhook_receiver import WebhookReceiver
from upgrade.pieces import PIECES, NotThereYetError, Piece, World

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Try it, print a line for each piece, return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", nargs="?", help="a tag or commit; default: the release before")
    parser.add_argument("--only", nargs="+", choices=[piece.name for piece in PIECES])
    given = parser.parse_args()
    old = given.old or release_before()
    if not old:
        print("There is no earlier release.")
        return 0
    pieces = [piece for piece in PIECES if not given.only or piece.name in given.only]
    with tempfile.TemporaryDirectory(prefix="oc-upgrade-") as folder:
        program = install(old, Path(folder))
        with ExitStack() as stack:
            site = stack.enter_context(Site())
            hook = stack.enter_context(WebhookReceiver(accepts=False))
            trial = Trial(World(stack, site, Daemon(), hook))
            trial.run(program, pieces)
    return 1 if trial.failed else 0


def release_before() -> str:
    """Return the newest tag of a release before this commit; empty if there is none."""
    command = ["git", "-C", ROOT, "describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def install(old: str, folder: Path) -> Path:
    """Return the `ocd` of an older release, built and installed as its users have it."""
    tree, python = folder / "tree", folder / "venv" / "bin" / "python"
    tree.mkdir()
    archive = subprocess.run(
        ["git", "-C", ROOT, "archive", old], stdout=subprocess.PIPE, check=True
    )
    subprocess.run(["tar", "-x", "-C", tree], input=archive.stdout, check=True)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder / "dist"]
    subprocess.run(build, cwd=tree, stdout=sys.stderr, check=True)
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    wheels = [str(wheel) for wheel in (folder / "dist").iterdir()]
    subprocess.run([python, "-m", "pip", "install", "-q", *wheels], check=True)
    return python.with_name("ocd")


@dataclass
class Trial:
    """What was written so far, and whether all of it was understood."""

    world: World
    written: dict[str, Any] = field(default_factory=dict)
    failed: bool = False

    def run(self, program: Path, pieces: list[Piece]) -> None:
        """Let the older release write, kill it, and let this one read."""
        daemon = self.world.daemon
        daemon.program, daemon.is_ours = (str(program),), False
        with daemon:
            print(f"older: {daemon.status()['version']} at {program}")
            for piece in pieces:
                self._write(piece)
            daemon.kill9()
            self.world.ended()
            daemon.program, daemon.is_ours = PROGRAM, True
            daemon.run_in_foreground()
            for piece in pieces:
                if piece.name in self.written:
                    self._read(piece)

    def _write(self, piece: Piece) -> None:
        try:
            self.written[piece.name] = piece.write(self.world)
        except NotThereYetError as why:
            print(f"passed over: {piece.name}: {why}")

    def _read(self, piece: Piece) -> None:
        try:
            piece.read(self.world, self.written[piece.name])
        except NotThereYetError as why:
            print(f"read, but too old to go on with: {piece.name}: {why}")
        except Exception as error:  # noqa: BLE001 - the next piece is read as well
            self.failed = True
            print(f"NOT READ: {piece.name}: {error!r}")
        else:
            print(f"read: {piece.name}")


if __name__ == "__main__":
    sys.exit(main())

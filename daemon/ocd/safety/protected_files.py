"""The daemon's own files, which no caller may read or write, however the path is spelt.

Files are recognised by identity, not by name: a hard link to the secrets file is the secrets file,
and so is another spelling on a file system that ignores case.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_Identity = tuple[int, int]
OURS = "it belongs to OpenChrome itself"
SECRETS = "it is the secrets file (--secrets)"


@dataclass(frozen=True, slots=True)
class ProtectedFiles:
    """The daemon's home, and its other protected files.

    home: refused except for its `files/`. secrets: the file of --secrets. others: files and folders
    that may lie elsewhere (the token, the profile).
    """

    home: Path | None = None
    secrets: Path | None = None
    others: tuple[Path, ...] = ()

    def refusal(self, real: Path, *, reads_records: bool = False) -> str:
        """Return why a path without links is refused, or an empty string.

        reads_records: it is to be read by a caller with the user's shell, to whom only secrets are
        refused: the values, the seeds, the token and the configuration.
        """
        chain = [(path, _identity(path)) for path in (real, *real.parents)]
        if self.secrets is not None and _contains_any(chain[:1], [self.secrets]):
            return SECRETS
        home = self.home
        if reads_records:
            secret = [home / name for name in _SECRET] if home else []
            return OURS if _contains_any(chain, secret) else ""
        if _contains_any(chain, self.others):
            return OURS
        if home is None:
            return ""
        below_home = list(_chain_until(chain, home / "files"))
        return OURS if len(below_home) == len(chain) and _contains_any(chain, [home]) else ""


NOTHING = ProtectedFiles()
_SECRET = ("config.toml", "secrets", "run", "upstream")
_Chain = Iterable[tuple[Path, _Identity | None]]


def _chain_until(chain: _Chain, folder: Path) -> Iterator[Path]:
    for path, identity in chain:
        if _contains_any([(path, identity)], [folder]):
            return
        yield path


def _contains_any(chain: _Chain, ours: Iterable[Path]) -> bool:
    """Return whether one of the chain is one of ours, by its path or by its identity."""
    owned = [(path.resolve(), _identity(path)) for path in ours]
    return any(
        path == own or (identity is not None and identity == known)
        for path, identity in chain
        for own, known in owned
    )


def _identity(path: Path) -> _Identity | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino

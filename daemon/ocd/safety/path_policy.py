"""Path policy: files inside an allowed root, and no credentials even there."""

import errno
import os
import re
import stat
import unicodedata
from collections.abc import Iterable
from fnmatch import fnmatchcase
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path

from ocd.api.errors import OcdError
from ocd.safety.protected_files import OURS, ProtectedFiles

# Folders whose whole content is refused, wherever they are.
_FOLDERS = {
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".password-store", ".mozilla",
    ".gcloud", "keyrings",
}  # fmt: skip
_FOLDER_PAIRS = frozenset(((".git", "hooks"), (".config", "gcloud"), (".config", "gh")))
_NAMES = (
    ".env*", "id_*", "*.pem", "*.key", "*.p12", "*.pfx", "*.ppk", "*.kdbx", "*.jks", "*.keystore",
    ".netrc", "_netrc", ".npmrc", ".yarnrc*", ".pypirc", ".pgpass", ".my.cnf", ".git-credentials",
    ".htpasswd", ".dockercfg", ".vault-token", "credentials", "authorized_keys", "shadow",
    # shell start-up files
    ".bashrc", ".bash_*", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
    ".cshrc", ".tcshrc", ".kshrc", ".login", ".xprofile", ".xinitrc", ".xsession*", "config.fish",
    "fish_variables", ".gitconfig",
)  # fmt: skip
_SYSTEM = ("/proc", "/sys", "/dev")
_HOME_NAME = ".openchrome"
_FLAG = "--allow-file-root"


class Roots:
    """The folders inside which callers may read and write files by path.

    own: the daemon's own files, which are refused even there.
    """

    def __init__(self, roots: Iterable[Path | str], own: ProtectedFiles | None = None) -> None:
        self._roots = tuple(roots)
        self._protected = own or ProtectedFiles()

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders, with symbolic links resolved as they are now."""
        return tuple(dict.fromkeys(_real(Path(root)) for root in self._roots))

    def __repr__(self) -> str:
        return f"Roots({[str(root) for root in self._roots]})"

    def resolve(self, path: Path | str, *, for_write: bool = False) -> Path:
        """Return the real path of a file to read, or of one to write whose folder exists.

        Callers open what is returned, never what they were given. Raises path_not_absolute,
        path_outside_roots, path_denied (credentials and the like), file_not_found (errno, path).
        """
        real = self.contain(path)
        needed = real.parent if for_write else real
        try:
            mode = needed.stat().st_mode
            existing = real.stat().st_mode if for_write and real.exists() else mode
        except OSError as error:
            raise _not_found(needed, error) from error
        if for_write and not stat.S_ISDIR(mode):
            raise _not_found(needed, NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)))
        if not (stat.S_ISREG(existing) or stat.S_ISDIR(existing)):
            raise denied_error(real, "it is a device, a pipe or a socket")
        return real

    def contain(self, path: Path | str) -> Path:
        """Return the real path if it is allowed, whether or not there is such a file."""
        given = _absolute(path)
        real = _real(given)
        if not any(real.is_relative_to(root) for root in self.roots):
            raise self._outside(real)
        why = _credential(given) or _credential(real) or self._protected.refusal(real)
        if why:
            raise denied_error(real, why)
        return real

    def _outside(self, path: Path) -> OcdError:
        roots = [str(root) for root in self.roots]
        listed = ", ".join(roots) or "none"
        return OcdError(
            "path_outside_roots", f"Not allowed: {path} is outside the allowed folders",
            hint=f"Allowed folders: {listed}. Start the daemon with {_FLAG} DIR to add one.",
            path=str(path), roots=roots,
        )  # fmt: skip


def denied_error(path: Path, why: str) -> OcdError:
    """Return the error for a path that is refused wherever it lies."""
    return OcdError(
        "path_denied", f"Not allowed: {path}: {why}", path=str(path),
        hint="No setting allows it. Name another file.",
    )  # fmt: skip


_SAFE = re.compile(r"[^a-zA-Z0-9._-]+")
_RESERVED = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(1, 10)))
)
_NAME_LENGTH = 64


def safe_name(text: str) -> str:
    """Return a file name for any text: letters, digits and ._- only, at most 81 characters.

    A text that is its own safe name stays as it is; others get a hash of the whole text, so that
    two texts never share a name, not even on a file system that folds case.
    """
    plain = _SAFE.sub("-", text).strip(".-")[:_NAME_LENGTH].lower()
    if plain and plain == text and plain.split(".")[0] not in _RESERVED:
        return plain
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return f"{plain or 'x'}~{digest}"


def _absolute(path: Path | str) -> Path:
    given = Path(path)
    if "\0" in str(given):
        raise denied_error(given, "it contains a NUL character")
    if not given.is_absolute():
        raise OcdError(
            "path_not_absolute", f"Not an absolute path: {given}",
            hint="Pass an absolute path.",
            path=str(given),
        )  # fmt: skip
    return given


def _real(path: Path) -> Path:
    # realpath follows every link it can, /proc/self/root included, and accepts missing ends.
    return Path(os.path.realpath(path))


def _not_found(path: Path, error: OSError) -> OcdError:
    return OcdError(
        "file_not_found", f"{path}: {error.strerror or error}", errno=error.errno, path=str(path)
    )


def _credential(path: Path) -> str:
    """Return why a path is refused whatever the roots, or an empty string."""
    parts = [_fold_case(part) or part for part in path.parts]
    pairs = set(pairwise(parts))
    if path.as_posix().startswith(tuple(f"{folder}/" for folder in _SYSTEM)):
        return "it is part of the running system"
    if _FOLDERS.intersection(parts) or pairs & _FOLDER_PAIRS:
        return "it is in a folder of credentials or hooks"
    if any(fnmatchcase(part, pattern) for part in parts[1:] for pattern in _NAMES):
        return "its name is that of a credentials file or a shell start-up file"
    if _HOME_NAME in parts and (_HOME_NAME, "files") not in pairs:
        return OURS
    return ""


def _fold_case(name: str) -> str:
    # To some file systems, ".SSH", ".ssh." and ".s\u200dsh" are ".ssh".
    plain = unicodedata.normalize("NFKC", name).casefold()
    return "".join(c for c in plain if unicodedata.category(c) != "Cf").rstrip(" .")

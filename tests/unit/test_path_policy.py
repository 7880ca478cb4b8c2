"""The path policy: which files may be read and written."""

# ruff: noqa: RUF001 - look-alike letters are what is tested here
import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from unicodedata import normalize
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ocd.api.errors import OcdError
from ocd.safety.domain_policy import DomainPolicy, file_path
from ocd.safety.file_access import FileAccess
from ocd.safety.path_policy import Roots
from ocd.safety.protected_files import ProtectedFiles


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    (tmp_path / "out.txt").write_text("outside")
    return folder


def refused(roots, path, **flags):
    with pytest.raises(OcdError) as caught:
        roots.resolve(path, **flags)
    return caught.value


def test_a_file_inside_resolves_to_its_real_path(root):
    (root / "link").symlink_to(root / "a.txt")
    roots = Roots([root])
    assert roots.resolve(str(root / "a.txt")) == (root / "a.txt").resolve()
    assert roots.resolve(root / "link") == (root / "a.txt").resolve()
    assert roots.resolve(root / "new.json", for_write=True) == root.resolve() / "new.json"


def test_paths_outside_the_roots_are_refused_with_a_hint(root, tmp_path):
    (root / "leak").symlink_to(tmp_path / "out.txt")
    (root / "dangling").symlink_to(tmp_path / "not-there-yet")
    (root / "folder").symlink_to(tmp_path)
    roots = Roots([root])
    proc = f"/proc/self/root{tmp_path}/out.txt"
    for path in (root / "leak", root / ".." / "out.txt", root / "folder" / "out.txt", proc):
        error = refused(roots, path)
        assert error.code == "path_outside_roots"
        assert str(root) in error.hint
        assert "--allow-file-root" in error.hint
        assert error.details["roots"] == [str(root.resolve())]
    assert refused(roots, root / "dangling", for_write=True).code == "path_outside_roots"


def test_other_spellings_are_allowed_only_where_they_resolve(root):
    assert Roots([root]).resolve(f"{root}/../work/./a.txt") == (root / "a.txt").resolve()
    assert refused(Roots(["/"]), "/proc/self/environ").code == "path_denied"


@pytest.mark.parametrize(
    "name",
    [
        ".ssh/config", ".SSH/known_hosts", ".gnupg/x", ".aws/credentials", ".env", ".env.local",
        "id_rsa", "id_ed25519.pub", "server.pem", "Key.PEM", ".netrc", ".npmrc", ".bashrc",
        ".zshrc",
        ".git/hooks/pre-commit", ".openchrome/config.toml", ".git-credentials", ".bash_profile",
    ],
)  # fmt: skip
@pytest.mark.parametrize("for_write", [False, True])
def test_credentials_and_start_up_files_are_refused_inside_roots(root, name, for_write):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("secret")
    error = refused(Roots([root]), path, for_write=for_write)
    assert error.code == "path_denied"
    (root / "innocent").symlink_to(path)
    assert refused(Roots([root]), root / "innocent").code == "path_denied"


@pytest.mark.parametrize("name", ["environment.txt", "sshd.md", "idea.txt", "pem.txt", ".github/x"])
def test_similar_names_are_allowed(root, name):
    path = root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")
    assert Roots([root]).resolve(path) == path.resolve()


def test_the_daemons_home_is_refused_except_its_files_folder(root):
    home = root / "home"
    (home / "files").mkdir(parents=True)
    (home / "run").mkdir()
    (home / "files" / "x").write_text("")
    (home / "run" / "token").write_text("")
    roots = Roots([root], ProtectedFiles(home))
    assert roots.resolve(home / "files" / "x") == home / "files" / "x"
    assert refused(roots, home / "run" / "token").code == "path_denied"
    assert refused(roots, home / "new.json", for_write=True).code == "path_denied"


def test_the_daemons_own_files_are_recognised_by_identity(root, tmp_path):
    """Through links of both kinds, and wherever the files are."""
    home, kept = root / "home", root / "words.txt"
    (home / "files").mkdir(parents=True)
    kept.write_text("PW=12345")
    (root / "soft").symlink_to(kept)
    (root / "hard").hardlink_to(kept)
    (home / "files" / "inner").hardlink_to(kept)
    (root / "profile").mkdir()
    (root / "profile" / "Cookies").write_text("")
    roots = Roots([root], ProtectedFiles(home, kept, (root / "profile", root / "token")))
    for path in (kept, root / "soft", root / "hard", home / "files" / "inner"):
        for write in (False, True):
            error = refused(roots, path, for_write=write)
            assert (error.code, "--secrets" in error.message) == ("path_denied", True)
    for path in (root / "profile" / "Cookies", root / "profile" / "new", root / "token"):
        assert refused(roots, path, for_write=True).code == "path_denied"
    assert DomainPolicy(file_roots=(root,)).allows(f"file://{kept}")
    assert not DomainPolicy(file_roots=(root,), own=ProtectedFiles(home, kept)).allows(
        f"file://{kept}"
    )


def test_oc_may_read_records_but_no_secrets(tmp_path):
    """`oc` may read what is stored, except secrets, seeds and tokens, and write none of it."""
    home, words = tmp_path / "home", tmp_path / "words"
    for name in ("output/a.json", "files/x", "secrets/totp.json", "run/token", "config.toml"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("{}")
    words.write_text("PW=12345")
    reach = FileAccess(cwd=str(tmp_path), own=ProtectedFiles(home, words))
    assert reach.resolve_readable("home/output/a.json") == str(home / "output/a.json")
    assert reach.resolve_writable("home/files/new") == str(home / "files/new")
    for name in ("home/secrets/totp.json", "home/run/token", "home/config.toml", "words"):
        with pytest.raises(OcdError, match="Not allowed"):
            reach.resolve_readable(name)
    for name in ("home/output/a.json", "home/new", "home/config.toml", "words"):
        with pytest.raises(OcdError, match="Not allowed"):
            reach.resolve_writable(name)


def test_missing_relative_and_odd_paths(root):
    roots = Roots([root])
    missing = refused(roots, root / "none")
    assert missing.code == "file_not_found"
    assert missing.details == {"errno": errno.ENOENT, "path": str(root.resolve() / "none")}
    assert refused(roots, root / "no" / "new", for_write=True).code == "file_not_found"
    assert refused(roots, root / "a.txt" / "b", for_write=True).details["errno"] == errno.ENOTDIR
    assert refused(roots, "a.txt").code == "path_not_absolute"
    assert refused(roots, "~/a.txt").code == "path_not_absolute"
    assert refused(roots, f"{root}/a\0.txt").code == "path_denied"
    os.mkfifo(root / "pipe")
    assert refused(roots, root / "pipe").code == "path_denied"
    assert refused(Roots([]), root / "a.txt").code == "path_outside_roots"


# --- any spelling ---------------------------------------------------------------------------------

NAME = "Geheim.txt"
_INSIDE, _OUTSIDE = "Höfe/Work", "Höfe/Private"


@contextmanager
def _land() -> Iterator[Path]:
    """Yield a folder with a root, a neighbour of it, and links from one to the other."""
    with TemporaryDirectory() as folder:
        base = Path(folder).resolve()
        for name in (_INSIDE, _OUTSIDE, f"{_INSIDE}/deep/er"):
            (base / name).mkdir(parents=True)
        for name in (f"{_OUTSIDE}/{NAME}", f"{_INSIDE}/mine.txt", f"{_INSIDE}/.env"):
            (base / name).write_text("x")
        root = base / _INSIDE
        (root / "up").symlink_to("../Private")
        (root / "all").symlink_to("/")
        (root / "here").symlink_to(".")
        (root / "file").symlink_to(base / _OUTSIDE / NAME)
        (root / "chain").symlink_to("deep/../here/up")
        yield base


# Ways out of the root, and ways that stay: each is a path below the base.
_WAYS = [
    f"{_OUTSIDE}/{NAME}", f"{_INSIDE}/../Private/{NAME}", f"{_INSIDE}/up/{NAME}", f"{_INSIDE}/file",
    f"{_INSIDE}/deep/er/../../../Private/{NAME}", f"{_INSIDE}/chain/{NAME}",
    f"{_INSIDE}/all/etc/passwd",
    f"{_INSIDE}/here/here/up/../Private/{NAME}", f"{_INSIDE}/.env", f"{_INSIDE}/here/.env",
    f"{_INSIDE}/mine.txt", f"{_INSIDE}/up/../Work/mine.txt", f"{_INSIDE}/none/../mine.txt",
]  # fmt: skip
_SPELT: list[Callable[[str], str]] = [
    str, str.upper, str.lower,
    lambda path: normalize("NFD", path), lambda path: normalize("NFC", path),
    lambda path: f"/proc/self/root{path}", lambda path: f"/proc/self/cwd/{'../' * 30}{path}",
    lambda path: f"/proc/thread-self/root/{path}", lambda path: f"/{path}",
    lambda path: path.replace("/", "//"), lambda path: path.replace("/", "/./"),
    lambda path: f"{path}/", lambda path: f"{path}/.", lambda path: f"{path}.",
    lambda path: f"{path} ",
    lambda path: f"/../..{path}", quote, lambda path: path.replace("/", "/%2e%2e/", 1),
    lambda path: path.replace("..", "%2e%2e"), lambda path: path.replace("..", "\uff0e\uff0e"),
    lambda path: path.replace("env", "ENV"), lambda path: path.replace("/.e", "/.\u200ce"),
]  # fmt: skip


@settings(deadline=None)
@given(st.sampled_from(_WAYS), st.lists(st.sampled_from(_SPELT), max_size=3), st.booleans())
def test_no_spelling_escapes_the_roots(
    way: str, spelt: list[Callable[[str], str]], write: bool
) -> None:
    """An allowed path is, once opened, a file below the root that is no credential."""
    with _land() as base:
        path = f"{base}/{way}"
        for how in spelt:
            path = how(path)
        roots = Roots([base / _INSIDE])
        policy = DomainPolicy(file_roots=(base / _INSIDE,))
        for url in (f"file://{path}", f"file:///{path}", f"file://localhost{path}"):
            if policy.allows(url):
                assert not _leads_out(base, str(file_path(url)))
        try:
            real = roots.resolve(path, for_write=write)
        except OcdError as error:
            if not error.code.startswith(("path_", "file_not_found")):
                raise
            return
        assert not _leads_out(base, str(real))
        assert os.path.realpath(real) == str(real)


def _leads_out(base: Path, path: str) -> bool:
    real = os.path.realpath(path)
    inside = os.path.commonpath([real, base / _INSIDE]) == str(base / _INSIDE)
    return (Path(path).exists() and not inside) or real.endswith(".env")


@pytest.mark.parametrize(
    "name", [".\u200cenv", ".e\u00adnv", "\uff0eenv", ".ｅnv", "x.pem\u200d", "x.ＰＥＭ", ".ſsh/x"]
)
def test_names_that_some_file_systems_fold_into_credentials_are_refused(
    root: Path, name: str
) -> None:
    """HFS+ ignores zero-width characters, other file systems fold similar letters."""
    path = root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")
    assert refused(Roots([root]), path).code == "path_denied"

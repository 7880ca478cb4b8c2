import errno
import os

import pytest

from ocd.api.errors import OcdError
from ocd.safety.paths import Roots


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


def test_what_leads_out_is_refused_with_roots_and_flag(root, tmp_path):
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


def test_the_other_spelling_of_an_inside_file_is_allowed_only_where_it_resolves(root):
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
def test_names_that_only_look_alike_are_fine(root, name):
    path = root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")
    assert Roots([root]).resolve(path) == path.resolve()


def test_our_own_home_is_refused_but_for_files(root):
    home = root / "home"
    (home / "files").mkdir(parents=True)
    (home / "run").mkdir()
    (home / "files" / "x").write_text("")
    (home / "run" / "token").write_text("")
    roots = Roots([root], home=home)
    assert roots.resolve(home / "files" / "x")
    assert refused(roots, home / "run" / "token").code == "path_denied"


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

"""The wheels that `make dist` builds work outside this tree: installed, started, and used."""

import os
import re
import signal
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

from support.daemon import Home

ROOT = Path(__file__).parents[3]
CLIENT_ALONE = """\
import sys
import openchrome.errors
others = {"ocd", "oc", "oc_mcp", "msgspec", "aiohttp"} & set(sys.modules)
assert not others, others
openchrome.AsyncClient
try:
    openchrome.connect()
except openchrome.errors.NoDaemonError as error:
    print(error.hint)
"""
WORK = """\
import openchrome, ocd
print(openchrome.__file__)
print(ocd.__file__)
with openchrome.connect() as browser:
    browser.navigate("data:text/html,<title>Wheel</title>")
    print(browser.javascript_tool("document.title").value)
"""


def done(*words: str | Path, **options: object) -> str:
    finished = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL, **options,  # type: ignore[call-overload]
    )  # fmt: skip
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return str(finished.stdout)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Both wheels, built from this tree."""
    folder = tmp_path_factory.mktemp("dist")
    for source in (ROOT, ROOT / "client"):
        done(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=source)
    return sorted(folder.iterdir())


def metadata(built: Path) -> Message:
    """Return the metadata of a wheel or of a source archive."""
    if built.suffix == ".whl":
        with zipfile.ZipFile(built) as wheel:
            (name,) = (one for one in wheel.namelist() if one.endswith(".dist-info/METADATA"))
            return message_from_bytes(wheel.read(name))
    with tarfile.open(built) as archive:
        file = archive.extractfile(f"{built.name.removesuffix('.tar.gz')}/PKG-INFO")
        assert file is not None
        return message_from_bytes(file.read())


ADDRESSES = {"PROJECT_URL": "", "GITHUB_REPOSITORY": "", "GITHUB_SERVER_URL": ""}


@pytest.mark.parametrize("source", [ROOT, ROOT / "client"])
def test_project_urls_come_from_the_building_repository(source: Path, tmp_path: Path) -> None:
    """From a workflow's own variables; a wheel made of the source archive keeps them."""
    environ = os.environ | ADDRESSES
    workflow = {"GITHUB_SERVER_URL": "https://git.example", "GITHUB_REPOSITORY": "ada/browser",
                "GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": "v9"}  # fmt: skip
    build = (sys.executable, "-m", "hatchling", "build", "-d", tmp_path)
    done(*build, cwd=source, env=environ | workflow)
    for built in tmp_path.iterdir():
        found = metadata(built)
        urls = dict(one.split(", ") for one in found.get_all("Project-URL", ()))
        assert urls["Homepage"] == "https://git.example/ada/browser"
        assert urls["Changelog"] == "https://git.example/ada/browser/blob/v9/CHANGELOG.md"
        assert set(urls) >= {"Documentation", "Issues", "Source"}
        relative = re.findall(r"\]\((?!https?:|#)[^)]*\)", str(found.get_payload()))
        assert relative == []
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path / "again", filter="data")
    tree = tmp_path / "again" / archive.name.removesuffix(".tar.gz")
    done(*build[:-1], tmp_path / "wheel", "-t", "wheel", cwd=tree, env=environ)
    (wheel,) = (tmp_path / "wheel").iterdir()
    (first,) = tmp_path.glob("*.whl")
    assert str(metadata(wheel)) == str(metadata(first))


def test_without_a_repository_there_are_no_project_urls(tmp_path: Path) -> None:
    """Where nobody says the address there is none, and the description is README as it stands."""
    build = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path)
    done(*build, cwd=ROOT, env=os.environ | ADDRESSES)
    (wheel,) = tmp_path.iterdir()
    found = metadata(wheel)
    assert found.get_all("Project-URL") is None
    assert "](VERBS.md)" in str(found.get_payload())


def environment(folder: Path, *wheels: Path) -> Path:
    """Return the Python of a new environment that has these wheels and nothing else."""
    done(sys.executable, "-m", "venv", "--without-pip", folder)
    python = folder / "bin" / "python"
    done(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index",
         "--quiet", *wheels)  # fmt: skip
    return python


@contextmanager
def practice_site(python: Path, environ: dict[str, str]) -> Iterator[str]:
    """`ocd practice` at any free port; yields the address that it prints."""
    with subprocess.Popen(
        [python.parent / "ocd", "practice", "--port", "0"],
        env=environ, stdout=subprocess.PIPE, text=True,
    ) as serving:  # fmt: skip
        assert serving.stdout is not None
        try:
            yield serving.stdout.readline().strip()
        finally:
            serving.send_signal(signal.SIGINT)
    assert serving.returncode == 130


def test_client_alone_says_what_to_install(wheels: list[Path], tmp_path: Path) -> None:
    """Without the daemon's distribution it says what to install."""
    home = Home()
    try:
        python = environment(tmp_path / "venv", wheels[1])
        environ = home.environ | {"PATH": str(python.parent)}
        assert done(python, "-c", CLIENT_ALONE, env=environ) == "pip install openchrome\n"
    finally:
        home.remove()


def test_installed_wheels_work(wheels: list[Path], tmp_path: Path) -> None:
    """The dependencies are those of this environment; our own packages come from the wheels."""
    home = Home()
    try:
        python = environment(tmp_path / "venv", *wheels)
        installed = Path(done(python, "-c", "import openchrome; print(openchrome.__file__)"))
        site_packages = installed.parents[1]
        (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
        environ = home.environ | {"PATH": f"{python.parent}:{home.environ['PATH']}"}
        client, daemon, title = done(python, "-c", WORK, env=environ).splitlines()
        assert Path(client).is_relative_to(site_packages)
        assert Path(daemon).is_relative_to(site_packages)
        assert title == "Wheel"
        manuals = tmp_path / "venv" / "share" / "man" / "man1"
        assert sorted(one.name for one in manuals.iterdir()) == ["oc-mcp.1", "oc.1", "ocd.1"]
        assert "Wheel" in done(python.parent / "oc", "tabs", "context", env=environ)
        with practice_site(python, environ) as origin:
            opened = done(python.parent / "oc", "navigate", f"{origin}/form.html", env=environ)
            assert "title: Sign up" in opened
            opened = done(python.parent / "oc", "navigate", f"{origin}/many-pages/", env=environ)
            assert "title: Chapter 1" in opened
        done(python.parent / "ocd", "stop", env=environ)
    finally:
        home.end_leftovers()
        home.remove()

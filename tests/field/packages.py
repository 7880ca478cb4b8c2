"""Packages of others, below one folder of the build: the machine stays as it is."""

from __future__ import annotations

import fcntl
import re
import subprocess
import sys
from pathlib import Path

BUILD = Path(__file__).parents[2] / "build" / "field"
ROOT = BUILD / "root"
_MARKS = BUILD / "unpacked"


def unpack(*packages: str) -> Path:
    """Make sure that the packages are below the returned folder, each at its newest version.

    A package is fetched once per checkout: `make clean` forgets it. No root is needed, no service
    is started, and documentation comes whole where the machine's own dpkg leaves it out.
    """
    for folder in (ROOT, _MARKS):
        folder.mkdir(parents=True, exist_ok=True)
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for package in packages:
            if not (_MARKS / package).exists():
                _unpack_one(package)
    return ROOT


def _unpack_one(package: str) -> None:
    folder = BUILD / "debs" / package
    folder.mkdir(parents=True, exist_ok=True)
    fetched = subprocess.run(
        ["apt-get", "download", "-q", package], cwd=folder, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    found = sorted(folder.glob(f"{package}_*.deb"))
    if fetched.returncode or not found:
        raise SystemExit(f"apt-get download {package}: {fetched.stderr.strip()}")
    subprocess.run(["dpkg-deb", "-x", str(found[-1]), str(ROOT)], check=True)
    (_MARKS / package).write_text(found[-1].name, encoding="utf-8")


def version_of(package: str) -> str:
    """Return the version that is unpacked."""
    return (_MARKS / package).read_text(encoding="utf-8").split("_")[1].replace("%3a", ":")


def install_python(*requirements: str) -> Path:
    """Unpack packages of PyPI, without what they need, into the returned folder."""
    folder = _folder_for("python", requirements)
    if not folder.exists():
        run = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
        subprocess.run([*run, *requirements], check=True)
    return folder


def install_venv(*requirements: str) -> Path:
    """Install packages of PyPI with all that they need; return the environment's folder."""
    folder = _folder_for("venv", requirements)
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
        pip = [str(folder / "bin" / "pip"), "install", "-q"]
        subprocess.run([*pip, *requirements], check=True)
        (folder / "ready").touch()
    return folder


def install_npm(*packages: str) -> Path:
    """Install packages of npm; return the folder of their commands."""
    folder = _folder_for("npm", packages)
    if not (folder / "ready").exists():
        folder.mkdir(parents=True, exist_ok=True)
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
        subprocess.run([*npm, *packages], cwd=folder, check=True)
        (folder / "ready").touch()
    return folder / "node_modules" / ".bin"


def _folder_for(kind: str, names: tuple[str, ...]) -> Path:
    return BUILD / kind / re.sub(r"[^a-z0-9.]+", "-", " ".join(names).lower())

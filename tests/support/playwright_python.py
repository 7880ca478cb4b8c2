"""A Python of its own with Playwright from PyPI: it cannot live beside pyppeteer's libraries.

It is made when first needed, or by `python tests/support/playwright_python.py`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(sys.prefix) / "playwright"


def installed() -> str:
    """Return the path of its interpreter."""
    python, stamp = str(FOLDER / "bin" / "python"), FOLDER / ".installed"
    if not stamp.exists():
        command = [sys.executable, "-m", "venv", "--clear", str(FOLDER)]
        subprocess.run(command, check=True, timeout=180)
        command = [python, "-m", "pip", "install", "--quiet", "playwright"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
        assert done.returncode == 0, f"Playwright cannot be had from PyPI: {done.stderr[-1000:]}"
        stamp.touch()
    return python


if __name__ == "__main__":
    installed()

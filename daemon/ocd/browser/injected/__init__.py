"""The scripts that run inside pages, and their loader.

`elements`, `visibility`, `reading`, `finding`, `acting`, `dates` and `capture` are the page engine
(`pages/engine/engine.py` joins their files), `pool` is what crawls run in their tabs, and `tabs`
holds scripts that run alone.
"""

from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent


@cache
def script(name: str) -> str:
    """Return the source of `name`.js, for example "tabs/to_json"; cached."""
    return load(name)


def load(name: str) -> str:
    """Return the source of `name`.js.

    Indentation, blank lines and comment lines are removed, because it is sent into every document.
    So no script may contain a string or template of several lines whose indentation matters.
    """
    lines = map(str.strip, _FOLDER.joinpath(f"{name}.js").read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))

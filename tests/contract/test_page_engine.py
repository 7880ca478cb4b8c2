"""The files of the page engine share one scope: a name belongs to one of them."""

import re
from collections import defaultdict
from pathlib import Path

from ocd.browser import injected
from ocd.pages.engine import engine

SCRIPTS = Path(injected.__file__).parent
_DECLARED = re.compile(r"^(?:const|let|class|(?:async )?function) +([\w$]+)", re.MULTILINE)


def test_no_two_files_declare_the_same_name() -> None:
    """Two constants of a name are a syntax error, two functions silently the later one."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in engine._FILES:
        for declared in _DECLARED.findall((SCRIPTS / f"{name}.js").read_text(encoding="utf-8")):
            found[declared].append(name)
    assert {name: files for name, files in found.items() if len(files) > 1} == {}

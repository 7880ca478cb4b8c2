"""The engine's files share one scope: what two of them call the same, one of them loses."""

import re
from collections import Counter

from ocd.browser.engine import source

_NAME = re.compile(r"^(?:async )?(?:function|class|const|let) (\w+)", re.MULTILINE)


def test_no_two_files_of_the_engine_define_the_same_name() -> None:
    counts = Counter(_NAME.findall(source()))
    assert [name for name, count in counts.items() if count > 1] == []

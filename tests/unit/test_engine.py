"""The engine's files are one script: no name may be given in two of them."""

import re
from collections import Counter

from ocd.browser import engine


def test_no_name_is_declared_twice() -> None:
    """A second declaration would keep the whole engine from being defined."""
    names = re.findall(
        r"^(?:async )?(?:function\*?|const|let|class) (\w+)", engine.source(), re.MULTILINE
    )
    assert [name for name, count in Counter(names).items() if count > 1] == []

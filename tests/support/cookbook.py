"""The commands, programs and settings that stand in the pages of the documentation."""

import re

SITE = "http://127.0.0.1:8000"
_FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)


def snippets(text: str, language: str) -> str:
    """Return the blocks of one language, one after the other."""
    return "\n".join(one["text"] for one in _FENCE.finditer(text) if one["language"] == language)

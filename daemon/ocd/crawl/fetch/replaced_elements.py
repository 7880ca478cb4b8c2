"""Elements whose content an inline script replaces, as far as its source shows it."""

from functools import cache
from typing import Any

from ocd.safety.regex import compile_re2

_MAX_FOUND = 50
_REPLACES = r"\.\s{0,20}(?:textContent|innerText|innerHTML|outerHTML)\s{0,20}=[^=]"
# `x = document.getElementById("main")`, or the same by querySelector or jQuery; then the use of
# the element, if it follows directly.
_LOOKS_UP = (
    r"(?:([A-Za-z_$][\w$]{0,60})\s{0,20}=\s{0,20})?(?:document\.)?"
    r"(?:getElementById\(\s{0,20}[\"'`]|(?:querySelector|\$|jQuery)\(\s{0,20}[\"'`]#)"
    r"([\w-]{1,100})[\"'`]\s{0,20}\)\s{0,20}"
    rf"({_REPLACES}|\.(?:html|text)\(\s{{0,20}}[^)\s])?"
)
_REPLACED_VARIABLE = rf"([A-Za-z_$][\w$]{{0,60}})\s{{0,20}}{_REPLACES}"


def replaced_ids(script: str) -> list[str]:
    """Return the ids of the elements whose whole content the script replaces."""
    source = script.encode(errors="replace")
    found = [match.groups() for match in _pattern(_LOOKS_UP).finditer(source)]
    if not found:
        return []
    variables = {match[1] for match in _pattern(_REPLACED_VARIABLE).finditer(source)}
    ids = [id_ for name, id_, replaces in found if replaces or (name and name in variables)]
    return [id_.decode() for id_ in dict.fromkeys(ids)][:_MAX_FOUND]


@cache
def _pattern(source: str) -> Any:  # noqa: ANN401 - re2 has no types
    return compile_re2(source.encode())

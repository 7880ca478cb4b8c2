"""Resource templates of another MCP server, under our addresses with the same variables.

`openchrome://upstream/NAME/template/ID{?day,from}`. Of the server's own template nothing is shown
but the names of its variables: it may contain a token, and text that nobody has approved.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ocd.api.errors import OcdError
from ocd.gateway.resources import PREFIX, address_id
from ocd.gateway.results import MAX_NAME, MAX_URI, one_line
from ocd.verb_api.capabilities import UPSTREAM_MARK

# The verb that reads one; no tool can have such a name.
READ_TEMPLATE = "resources/templates/read"
MAX_LISTED = 200
MAX_VARIABLES = 20
_MAX_VARIABLE_NAME = 64


class UpstreamTemplate(NamedTuple):
    """A template: the server's own, the address it has with us, its variables (name, required)."""

    template: str
    uri: str
    name: str
    mime: str
    variables: tuple[tuple[str, bool], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the list entry: only names, no text that nobody has approved."""
        names = ",".join(name for name, _ in self.variables)
        mime = {"mimeType": self.mime} if self.mime else {}
        return {"uriTemplate": f"{self.uri}{{?{names}}}", "name": self.name, **mime}

    def check(self, values: Mapping[str, str]) -> None:
        """Raise invalid_argument if a required value is missing, or one is not a variable's."""
        required = [name for name, is_required in self.variables if is_required]
        missing = [name for name in required if not values.get(name)]
        unknown = values.keys() - {name for name, _ in self.variables}
        if missing or unknown:
            wrong = f"needs {', '.join(missing)}" if missing else "has no such variable"
            raise OcdError(
                "invalid_argument", f"The resource template {wrong}",
                hint=f"Fill in {self.to_dict()['uriTemplate']}",
            )  # fmt: skip


def templates_of(
    server: str, templates: Sequence[Mapping[str, Any]]
) -> dict[str, UpstreamTemplate]:
    """Return a server's templates by ID; those without variables, or too long, are left out."""
    found: dict[str, UpstreamTemplate] = {}
    for entry in templates[:MAX_LISTED]:
        template, variables = entry.get("uriTemplate"), tuple(entry["variables"])
        if isinstance(template, str) and len(template) <= MAX_URI and _are_plain(variables):
            key = address_id(server, template)
            name = one_line(entry.get("title") or entry.get("name"), MAX_NAME) or "template"
            found[key] = UpstreamTemplate(
                template=template,
                uri=f"{PREFIX}{server}/template/{key}",
                name=f"{server}{UPSTREAM_MARK}{name}",
                mime=one_line(entry.get("mimeType"), MAX_NAME),
                variables=variables,
            )
    return found


def _are_plain(variables: Sequence[tuple[str, bool]]) -> bool:
    longest = max((len(name) for name, _ in variables), default=0)
    return 0 < longest <= _MAX_VARIABLE_NAME and len(variables) <= MAX_VARIABLES

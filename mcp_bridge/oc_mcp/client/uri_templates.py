"""Another server's resource templates (RFC 6570), parsed and expanded by the SDK."""

from collections.abc import Mapping

from mcp.shared.uri_template import InvalidUriTemplate, UriTemplate


def variables_of(template: object) -> list[tuple[str, bool]]:
    """Return the variables by name, and whether each is required: those outside the query are.

    Empty for anything that is not a template, or has parts that the SDK does not support ({x:3},
    {?x*}).
    """
    if not isinstance(template, str):
        return []
    try:
        parsed = UriTemplate.parse(template)
    except InvalidUriTemplate:
        return []
    return [(variable.name, variable.operator not in ("?", "&")) for variable in parsed.variables]


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return the address; a variable with several parts ({/path*}) is given as one text, `a/b`."""
    parsed = UriTemplate.parse(template)
    found: dict[str, str | list[str]] = {}
    for variable in parsed.variables:
        if variable.name in values:
            value = values[variable.name]
            parts = (
                value.removeprefix(variable.operator).split(variable.operator)
                if variable.explode
                else value
            )
            found[variable.name] = parts
    return parsed.expand(found)

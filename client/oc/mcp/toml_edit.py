"""TOML: change one table of a file and keep the rest, including comments."""

from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit
from tomlkit import TOMLDocument
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import InlineTable


def with_table(text: str, path: tuple[str, ...], value: Mapping[str, Any]) -> str:
    """Return the text with `value` as the table `path`, replaced or added.

    The file's own style is kept: tables, inline tables or dotted keys, and its line ends.

    Raises:
        ValueError: the text is not TOML, or the path leads through a key that is not a table.
    """
    try:
        new = tomlkit.dumps(_edited(tomlkit.parse(text), path, value))
    except TOMLKitError as error:
        raise ValueError(str(error)) from None
    return new.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in text else new


def _edited(
    document: TOMLDocument, path: tuple[str, ...], value: Mapping[str, Any]
) -> TOMLDocument:
    parent: MutableMapping[str, Any] = document
    for key in path[:-1]:
        if key not in parent:
            parent[key] = _table_inside(parent, {}, is_super_table=True)
        parent = _table_at(parent, key)
    if path[-1] in parent:
        _update(_table_at(parent, path[-1]), value)
    else:
        parent[path[-1]] = _table_inside(parent, value)
    return document


def _update(table: MutableMapping[str, Any], value: Mapping[str, Any]) -> None:
    """Make a table equal to `value`; what is equal already is not rewritten."""
    for key in [key for key in table if key not in value]:
        del table[key]
    for key, item in value.items():
        old = table.get(key)
        if isinstance(item, dict) and isinstance(old, MutableMapping):
            _update(old, item)
        elif old != item:
            table[key] = _table_inside(table, item) if isinstance(item, dict) else item


def _table_at(parent: MutableMapping[str, Any], key: str) -> MutableMapping[str, Any]:
    table = parent[key]
    if not isinstance(table, MutableMapping):
        raise ValueError(f"{key} is not a table")  # noqa: TRY004 - as for text that is not TOML
    return table


def _table_inside(
    parent: MutableMapping[str, Any], value: Mapping[str, Any], *, is_super_table: bool = False
) -> Any:  # noqa: ANN401 - one of tomlkit's tables
    """Return a new table of the kind that can be inside `parent`."""
    inline = isinstance(parent, InlineTable)
    table = tomlkit.inline_table() if inline else tomlkit.table(is_super_table)
    for key, item in value.items():
        table[key] = _table_inside(table, item) if isinstance(item, dict) else item
    return table

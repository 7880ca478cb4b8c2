"""Changing a host's file: read it, write it as a whole, and keep the previous one beside it.

A file that cannot be read, or that the change would not bring to the intended state, is left alone.
"""

import errno
import json
import os
import shutil
import time
import tomllib
from typing import Any, NamedTuple

from oc import whole_files
from oc.mcp import jsonc_edit
from oc.mcp.agent_hosts import NAME, AgentHost
from ocd.api.errors import OcdError

# A host may write its file while we do; then we begin again.
_ATTEMPTS = 5

# Keys of an entry that reaches its server in another way than by a command.
_REMOTE = {"url", "httpUrl", "serverUrl", "headers", "http_headers", "bearer_token_env_var"}


class MergeResult(NamedTuple):
    """What was done to a file: created, added, updated or unchanged; changed: keys of the entry."""

    path: str
    action: str
    changed: list[str]
    backup: str | None


def read_entry(host: AgentHost, path: str) -> dict[str, Any] | None:
    """Return our entry in the host's file, or None; OcdError if the file cannot be parsed."""
    content = _read(path)
    if content is None:
        return None
    servers = _decode(host, path, content[0]).get(host.key)
    entry = servers.get(NAME) if isinstance(servers, dict) else None
    return entry if isinstance(entry, dict) else None


def snippet(host: AgentHost, entry: dict[str, Any]) -> str:
    """Return the text of a file that contains only `entry`."""
    return _edit(host, "", entry)


def merge(host: AgentHost, path: str, entry: dict[str, Any], *, private: bool) -> MergeResult:
    """Set our entry in the host's file to `entry`; other keys of the entry and of `env` are kept.

    private: a file that is created is readable by its owner alone.
    """
    real = os.path.realpath(path)  # a symbolic link is kept
    try:
        for _ in range(_ATTEMPTS):
            merged = _merge_once(host, path, real, entry, private=private)
            if merged is not None:
                return merged
    except OSError as error:
        raise whole_files.write_error(path, error, _BY_HAND) from None
    message = f"{host.title} keeps changing {path}"
    raise OcdError("busy", message, hint=f"Close {host.title} and try again.", path=path)


_BY_HAND = "Run it without --write and add the printed entry yourself."


def _merge_once(
    host: AgentHost, path: str, real: str, entry: dict[str, Any], *, private: bool
) -> MergeResult | None:  # fmt: skip
    """Return what was done, or None if another program has written the file meanwhile."""
    content = _read(path)
    text, raw = content or ("", None)
    document = _decode(host, path, text)
    servers = document.get(host.key, {})
    if not isinstance(servers, dict) or not isinstance(servers.get(NAME, {}), dict):
        raise _unreadable(
            path, f"{host.key}.{NAME} is not {'a table' if host.is_toml else 'an object'}"
        )
    old = servers.get(NAME)
    merged_entry = _combine(old or {}, entry)
    if merged_entry == old:
        return MergeResult(path, "unchanged", [], None)
    try:
        new = _edit(host, text, merged_entry)
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from None
    _verify(host, path, new, {**document, host.key: {**servers, NAME: merged_entry}})
    os.makedirs(os.path.dirname(real), exist_ok=True)
    backup = _replace(real, raw, new.encode(), private=private)
    if backup is None:
        return None
    changed = sorted(
        k for k in {*merged_entry, *(old or {})} if merged_entry.get(k) != (old or {}).get(k)
    )
    action = "created" if raw is None else "added" if old is None else "updated"
    return MergeResult(path, action, changed, backup or None)


def _combine(old: dict[str, Any], entry: dict[str, Any]) -> dict[str, Any]:
    own_keys = {k: v for k, v in old.items() if k not in _REMOTE}
    if entry.get("type") is None and own_keys.get("type") != "stdio":
        own_keys.pop("type", None)
    env = {**(old.get("env") or {}), **entry.get("env", {})}
    return own_keys | entry | ({"env": env} if env else {})


def _read(path: str) -> tuple[str, bytes] | None:
    """Return the file's text and bytes, None if it does not exist; OcdError if it is not text."""
    try:
        with open(path, "rb") as file:
            raw = file.read()
        return raw.decode("utf-8"), raw
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise _unreadable(path, "not UTF-8 text") from None
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from None


def _decode(host: AgentHost, path: str, text: str) -> dict[str, Any]:
    text = text.removeprefix("\ufeff")
    try:
        if host.is_toml:
            return tomllib.loads(text)
        document = jsonc_edit.decode(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from None
    if not isinstance(document, dict):
        raise _unreadable(path, "not a JSON object")
    return document


def _edit(host: AgentHost, text: str, entry: dict[str, Any]) -> str:
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    text = text.removeprefix(mark)
    if host.is_toml:
        from oc.mcp import toml_edit  # tomlkit's import costs more than the rest of the command

        return mark + toml_edit.with_table(text, (host.key, NAME), entry)
    return mark + jsonc_edit.with_member(text, host.key, NAME, entry)


def _verify(host: AgentHost, path: str, new: str, expected: dict[str, Any]) -> None:
    """Refuse a text that does not parse to exactly the expected content."""
    try:
        if _decode(host, path, new) == expected:
            return
    except OcdError:
        pass
    raise _unreadable(path, f"oc cannot change {host.key} as it is written there")


def _unreadable(path: str, reason: str) -> OcdError:
    message = f"{path} was left alone: {reason}"
    return OcdError("unreadable_file", message, hint=_BY_HAND, path=path)


def _replace(real: str, raw: bytes | None, new: bytes, *, private: bool) -> str | None:
    """Replace the file; return the backup's path ("" without one), None if the file has changed."""
    part = whole_files.write_part(real, (new,), private=private)
    try:
        backup = _back_up(real, raw) if raw is not None else ""
        now = _read(real)
        if (now[1] if now else None) != raw:
            if backup:
                os.unlink(backup)
            return None
        os.replace(part, real)
        part = ""
        return backup
    finally:
        if part:
            os.unlink(part)


def _back_up(real: str, raw: bytes) -> str:
    """Write the old bytes beside the file, under a new name, with the same permissions."""
    stamp = time.strftime("%Y%m%dT%H%M%S")
    for number in range(100):
        path = f"{real}.{stamp}{f'-{number}' if number else ''}.bak"
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(descriptor, "wb") as file:
            file.write(raw)
        shutil.copymode(real, path)
        return path
    raise FileExistsError(errno.EEXIST, "too many backups", f"{real}.{stamp}.bak")


def as_json(value: object) -> str:
    """Return the response body that `--json` prints for a command of our own."""
    return json.dumps({"result": value}, ensure_ascii=False)

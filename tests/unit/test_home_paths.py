"""Paths of a home: daemon and clients derive the same socket address, short enough for the OS."""

import os
from pathlib import Path

from ocd.api import paths


def test_the_home_is_taken_from_the_environment_or_the_users_folder() -> None:
    """$OPENCHROME_HOME wins; ~ is expanded."""
    assert paths.home({"OPENCHROME_HOME": "/x/y/../z"}) == "/x/z"
    assert paths.home({}) == str(Path.home() / ".openchrome")


def test_a_short_home_holds_its_own_socket() -> None:
    """The socket is in the home's run folder."""
    assert paths.daemon_socket("/h", {}) == "/h/run/ocd.sock"
    assert paths.mcp_socket("/h", {}) == "/h/run/mcp.sock"


def test_a_long_home_moves_its_socket_to_a_short_place_of_its_own() -> None:
    """Two long homes never share a socket, and both find their own again."""
    long, other = "/" + "a" * 120, "/" + "b" * 120
    environ = {"XDG_RUNTIME_DIR": "/run/user/7"}
    address = paths.daemon_socket(long, environ)
    assert address.startswith("/run/user/7/openchrome-")
    assert len(os.fsencode(address)) <= paths.SOCKET_PATH_MAX
    assert address != paths.daemon_socket(other, environ)
    assert len(os.fsencode(paths.daemon_socket(long, {}))) <= paths.SOCKET_PATH_MAX


def test_windows_gets_a_named_pipe() -> None:
    """The address is the name of a pipe, one for each home."""
    address = paths._address("C:\\Users\\x\\.openchrome", "ocd", {}, os_name="nt")
    assert address.startswith(r"\\.\pipe\openchrome-")
    assert address.endswith("-ocd")

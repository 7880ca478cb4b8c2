"""Profiles: which ones the machine has, and which one is in use."""

import json
from collections.abc import Callable
from pathlib import Path

from support.daemon import Daemon


def _profile(home: Path) -> Path:
    folder = home / ".config" / "google-chrome"
    folder.mkdir(parents=True)
    cache = {
        "Default": {"name": "Ada", "user_name": "ada@example.org"},
        "Profile 1": {"name": "가"},
    }
    state = {"profile": {"info_cache": cache, "last_used": "Profile 1"}}
    (folder / "Local State").write_text(json.dumps(state))
    return folder


def test_profiles_of_the_machine_are_listed(make_daemon: Callable[..., Daemon]) -> None:
    """Names, directories and which one was used last; nothing is changed."""
    daemon = make_daemon()
    assert daemon.do("list_profiles")["profiles"] == []
    folder = _profile(daemon.home.base / "user")
    told = daemon.do("list_profiles")
    assert [(one["directory"], one["name"]) for one in told["profiles"]] == [
        ("Default", "Ada"),
        ("Profile 1", "가"),
    ]
    assert told["current_profile_directory"] == "Profile 1"
    assert told["profiles"][0]["user_name"] == "ada@example.org"
    (daemon.home.path / "files").mkdir(exist_ok=True)
    shared = folder.rename(daemon.home.path / "files" / "chrome")
    assert daemon.do("list_profiles", userDataDir=str(shared))["count"] == 2
    outside = daemon.call("list_profiles", user_data_dir=str(daemon.home.base / "user"))
    assert outside.code == "path_outside_roots"


def test_broken_profiles_are_ignored(make_daemon: Callable[..., Daemon]) -> None:
    """A Local State that is no JSON is no error."""
    daemon = make_daemon()
    (_profile(daemon.home.base / "user") / "Local State").write_text("{")
    assert daemon.do("list_profiles")["count"] == 0


def test_status_names_the_kind_of_profile(make_daemon: Callable[..., Daemon]) -> None:
    """Ours is persistent, --isolated temp, --profile explicit; no browser is started for it."""
    daemon = make_daemon()
    told = daemon.do("oc_profile_status")
    assert told["profile_type"] == "persistent"
    assert told["profile_directory"] == str(daemon.home.path / "profile")
    assert told["browser"] == "stopped"
    isolated = make_daemon("--isolated").do("oc_profile_status")
    assert isolated["profile_type"] == "temp"
    assert isolated["capabilities"]["persistent_storage"] is False
    other = make_daemon("--profile", str(daemon.home.base / "elsewhere"))
    assert other.do("oc_profile_status")["profile_type"] == "explicit"

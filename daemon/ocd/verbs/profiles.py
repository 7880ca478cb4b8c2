"""Verbs about browser profiles, read only."""

import asyncio
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from ocd.browser.process import profiles
from ocd.browser.process.chromium import Chromium
from ocd.browser.process.profiles import ProfileDir
from ocd.verb_api.declaration import READS_PATH, Output, Params, daemon_verb


class ListProfiles(Params):
    """List the browser profiles of this machine

    Reads their names only; start the daemon with --profile DIR to use one.
    """

    user_data_dir: Annotated[
        str | None, Meta(description="Only this user data directory", extra=READS_PATH)
    ] = None


class ListProfilesResult(TypedDict):
    """The browser profiles on this machine."""

    profiles: list[dict[str, Any]]
    count: int
    current_profile_directory: str | None
    message: NotRequired[str]


@daemon_verb(
    "list_profiles",
    ListProfiles,
    needs=Chromium,
    returns=ListProfilesResult,
    capability="profile",
    tier=3,
    reads=True,
)
async def list_profiles(chromium: Chromium, params: ListProfiles) -> Output:
    found = await asyncio.to_thread(_find_profile, chromium, params.user_data_dir)
    active = [profile["directory"] for profile in found if profile["is_active"]]
    data: dict[str, Any] = {
        "profiles": found, "count": len(found),
        "current_profile_directory": active[0] if active else None,
    }  # fmt: skip
    if not found:
        data["message"] = "No browser profiles were found."
    return Output(data=data)


def _find_profile(chromium: Chromium, folder: str | None) -> list[dict[str, Any]]:
    if folder is not None:
        folders = [ProfileDir("chromium", Path(folder))]
    else:
        folders = [*profiles.profile_dirs(), ProfileDir("openchrome", chromium.options.profile)]
    return [profile for place in folders for profile in profiles.list_profiles(place)]


class ProfileStatus(Params):
    """Report which profile the browser uses and what it can keep

    Does not start a browser. profile_type: persistent (OpenChrome's own), temp (--isolated),
    explicit (--profile), real (a user's own).
    """


class ProfileStatusResult(TypedDict):
    """The profile that the browser uses."""

    profile_type: str
    browser: str
    capabilities: Annotated[dict[str, Any], Meta(description="What it keeps")]
    profile_directory: NotRequired[str]


@daemon_verb(
    "oc_profile_status",
    ProfileStatus,
    needs=Chromium,
    returns=ProfileStatusResult,
    capability="profile",
    tier=3,
    reads=True,
)
async def oc_profile_status(chromium: Chromium, _params: ProfileStatus) -> Output:
    kind = await asyncio.to_thread(profiles.kind_of, chromium)
    options = chromium.options
    foreign = options.browser_url is not None
    data: dict[str, Any] = {
        "profile_type": kind,
        "browser": chromium.state,
        "capabilities": profiles.profile_capabilities(kind, foreign=foreign),
    }
    if kind != "temp" and not foreign:
        data["profile_directory"] = str(options.profile)
    return Output(data=data)

"""The verb that uploads files to Open Chat Studio."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.sessions.session import Sessions
from ocd.config.tables import Ocs
from ocd.integrations.open_chat_studio import Collection, Upload, upload_files
from ocd.verb_api.declaration import MAX_TIMEOUT_MS, FileSource, Output, Params, daemon_verb

_TEAM = re.compile(r"[\w-]{1,200}")


@dataclass(frozen=True, slots=True)
class UploadServices:
    """What the upload needs: the browser's logins, and the configured defaults."""

    sessions: Sessions
    settings: Callable[[], Ocs]
    any_certificate: bool = False


class UploadCollectionFiles(Params):
    """Upload files to an Open Chat Studio collection, with the browser's login

    Pass file_path for each file: the bytes go from disk to the site without passing through the
    conversation.
    """

    collection_id: Annotated[int, Meta(ge=1, description="Id of the collection")]
    files: Annotated[
        tuple[FileSource, ...], Meta(min_length=1, max_length=200, description="Files to upload")
    ]
    base_url: Annotated[
        str | None, Meta(description="URL of the site; default: [ocs] base_url of config.toml")
    ] = None
    team: Annotated[
        str | None, Meta(description="Team slug; default: [ocs] team of config.toml")
    ] = None
    chunk_size: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)] | None, Meta(description="For indexed collections")
    ] = None
    chunk_overlap: Annotated[
        Annotated[int, Meta(ge=0, le=100_000)] | None, Meta(description="For indexed collections")
    ] = None


class SentFile(TypedDict):
    """A file that was uploaded."""

    name: str
    size_bytes: int
    mime_type: str


class UploadCollectionFilesResult(TypedDict):
    """What was uploaded."""

    collection_url: str
    count: int
    files: list[SentFile]
    messages: list[str]


@daemon_verb(
    "ocs_upload_collection_files",
    UploadCollectionFiles,
    needs=UploadServices,
    returns=UploadCollectionFilesResult,
    capability="upload",
    tier=3,
    uploads=True,
    timeout_ms=MAX_TIMEOUT_MS,
    page_keys=("messages",),
    example={"collection_id": 12, "files": [{"file_path": "/home/ada/guide.pdf"}]},
)
async def ocs_upload_collection_files(
    services: UploadServices, params: UploadCollectionFiles
) -> Output:
    collection = _collection(services.settings(), params)
    uploads = await asyncio.to_thread(upload_files, params.files)
    chromium = services.sessions.chromium
    with chromium.hold():
        await chromium.ensure()
        reply = await chromium.connection.send("Storage.getCookies")
        upload = Upload(
            collection,
            reply["cookies"],
            chromium.guard.check,
            any_certificate=services.any_certificate,
        )
        sizes = {"chunk_size": params.chunk_size, "chunk_overlap": params.chunk_overlap}
        chunking = {name: size for name, size in sizes.items() if size is not None}
        return Output(data=await upload.send(uploads, chunking), origin=collection.base_url)


def _collection(settings: Ocs, params: UploadCollectionFiles) -> Collection:
    base_url = params.base_url or settings.base_url
    team = params.team or settings.team
    for name, value in (("base_url", base_url), ("team", team)):
        if not value:
            raise OcdError(
                "invalid_argument", f"ocs_upload_collection_files needs the parameter '{name}'",
                hint=f"Or set it once: [ocs] {name} = … in config.toml", parameter=name,
            )  # fmt: skip
    if not base_url.startswith(("http://", "https://")):
        raise OcdError("invalid_url", f"Not a web address: {base_url}", parameter="base_url")
    if not _TEAM.fullmatch(team):
        raise OcdError("invalid_argument", f"Not a valid team slug: {team!r}", parameter="team")
    return Collection(base_url, team, params.collection_id)

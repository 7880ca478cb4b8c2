"""The verb that uploads files to a page: file_upload."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import file_upload as act_file_upload
from ocd.pages.locate.locators import Locator
from ocd.pages.locate.target import ActionDeadline, resolve_target
from ocd.verb_api.action_results import ActionReply, ElementName
from ocd.verb_api.declaration import READS_PATH, UNLISTED, FileSource, Output, tab_verb
from ocd.verb_api.element_params import PAGE_KEYS, ElementParams, Timeout, answer


class FileUpload(ElementParams):
    """Upload files to a file input or drop zone

    Name the input (hidden or not), its label or the button that opens a file chooser; with
    drop, a drop zone. Bytes go from disk to the page, not through the conversation.
    """

    files: Annotated[
        tuple[FileSource, ...],
        Meta(max_length=100, description="Files", extra_json_schema=UNLISTED),
    ] = ()
    file_paths: Annotated[
        tuple[str, ...],
        Meta(max_length=100, description="Absolute paths", extra=READS_PATH),
    ] = ()
    drop: Annotated[bool, Meta(description="Drop the files on the element")] = False
    timeout_ms: Timeout = 10_000


class UploadedFile(TypedDict):
    """A file given to the page."""

    name: str
    size: int


class FileUploadResult(ActionReply):
    """The uploaded files."""

    action: str
    method: str
    ref: str
    target: ElementName
    files: list[UploadedFile]
    count: int
    total_size_kb: float


@tab_verb(
    "file_upload",
    FileUpload,
    returns=FileUploadResult,
    capability="core",
    tier=2,
    reads_page=True,
    page_keys=PAGE_KEYS,
    uploads=True,
    example={"query": "Attachment", "file_paths": ["/home/ada/report.pdf"]},
)
async def file_upload(tab: Tab, params: FileUpload) -> Output:
    deadline = ActionDeadline.of(params.timeout_ms)
    uploads = await asyncio.to_thread(_upload_files, tab, params)
    sizes = await asyncio.to_thread(lambda: [upload_file.size for upload_file in uploads])
    named = Locator.of(params)
    chosen = replace(named, among="files", ties=frozenset({"file"}))
    at = replace(named, texts="any") if params.drop else chosen
    target = await resolve_target(tab, at)
    async with target.element:
        method, done = await act_file_upload.upload(target, deadline, uploads, drop=params.drop)
    summaries = [{"name": p.name, "size": size} for p, size in zip(uploads, sizes, strict=True)]
    data = {
        "action": "file_upload", "method": method, "ref": target.ref, "target": target.describe(),
        "files": summaries, "count": len(summaries), "total_size_kb": round(sum(sizes) / 1024, 1),
    }  # fmt: skip
    return answer(tab, data, done)


def _upload_files(tab: Tab, params: FileUpload) -> list[act_file_upload.UploadFile]:
    staging = act_file_upload.UploadStaging(tab)
    uploads = [_upload_file(staging, index, source) for index, source in enumerate(params.files)]
    uploads += [act_file_upload.UploadFile(Path(path)) for path in params.file_paths]
    if not uploads:
        raise OcdError(
            "source_missing", "file_upload needs 'files' or 'file_paths'",
            hint="Pass files, each with file_path, or with content and name, or paths: "
            + tool_call("file_upload", ref="e12", file_paths="FILE"),
            parameter="files",
        )  # fmt: skip
    return uploads


def _upload_file(
    staging: act_file_upload.UploadStaging, index: int, source: FileSource
) -> act_file_upload.UploadFile:
    if source.file_path is not None:
        path = Path(source.file_path)
        if source.name and source.name != path.name:
            return staging.link(path, source.name, source.mime_type)
        return act_file_upload.UploadFile(Path(source.file_path), source.mime_type)
    if not source.name:
        raise OcdError(
            "invalid_argument", f"file_upload: files[{index}] has content but no name",
            hint="Pass the file's name.", parameter=f"files[{index}].name",
        )  # fmt: skip
    assert source.content is not None
    return staging.put(source.name, source.content, source.mime_type)

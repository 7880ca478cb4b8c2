"""Writing a crawl's pages to a file or folder in one pass, with one page in memory.

The result is complete or absent: it is written beside its place and moved there.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.crawl.archive.kept_files import is_kept_name
from ocd.crawl.export import llms_txt, markdown_folder, tables, warc
from ocd.crawl.export.formats import ExportFormat
from ocd.crawl.export.pages import Pages
from ocd.storage.files import storage, write_whole

# Other formats have a folder for pictures and PDFs inside, or no place for them.
_WITH_FILES = ("jsonl", "csv", "sqlite")


def export(pages: Pages, form: ExportFormat, path: Path, title: str) -> dict[str, Any]:
    """Write the pages and return what was written. Blocks.

    Raises invalid_argument if the path is taken, storage_*, unreadable_file.
    """
    if path.is_dir() and (form != "markdown" or any(path.iterdir())):
        what = "is a folder that has files in it" if form == "markdown" else "is a folder"
        raise OcdError(
            "invalid_argument", f"{path} {what}", hint="Name one that does not exist yet.",
            parameter="path",
        )  # fmt: skip
    beside = path.with_name(f"{path.name}_files") if form in _WITH_FILES and pages.files else None
    if beside is not None:
        _check_replaceable(beside)
        pages.file_prefix = beside.name
    written = _WRITERS[form](pages, path, title)
    if beside is not None:
        with _temporary_path(beside) as part:
            written["files_bytes"] = pages.copy_files(part)
    return {"pages": pages.count, "failed_pages": pages.failed, **written}


def _check_replaceable(folder: Path) -> None:
    """Raise invalid_argument unless the path is free or holds an earlier export."""
    if folder.is_dir() and all(is_kept_name(path.name) for path in folder.iterdir()):
        return
    if folder.exists():
        raise OcdError(
            "invalid_argument", f"{folder} already exists, and has other files in it",
            hint="Screenshots and PDFs go there: choose another name.", parameter="path",
        )  # fmt: skip


def _write_lines(pages: Pages, path: Path, _title: str) -> dict[str, int]:
    return {"size_bytes": write_whole(path, _lines(pages))}


def _write_csv(pages: Pages, path: Path, _title: str) -> dict[str, int]:
    return {"size_bytes": write_whole(path, tables.csv_rows(pages))}


def _write_list(pages: Pages, path: Path, title: str) -> dict[str, int]:
    lines = llms_txt.lines(pages.read(), title)
    return {"size_bytes": write_whole(path, (line.encode() for line in lines))}


def _write_database(pages: Pages, path: Path, _title: str) -> dict[str, int]:
    with _temporary_path(path) as part:
        tables.write_database(part, pages)
    return {"size_bytes": path.stat().st_size}


def _write_folder(pages: Pages, path: Path, _title: str) -> dict[str, int]:
    pages.file_prefix = markdown_folder.FILES
    with _temporary_path(path) as part:
        files, size = markdown_folder.write(part, pages)
        if pages.files:
            size += pages.copy_files(part / markdown_folder.FILES)
    return {"files": files, "size_bytes": size}


def _write_archive(pages: Pages, path: Path, _title: str) -> dict[str, int]:
    for _ in pages:  # counts them, and finds those that cannot be read
        pass
    if next(iter(pages.raw), None) is None:
        raise OcdError(
            "invalid_format_for_payload",
            "The crawl kept no raw responses to archive",
            hint='Crawl again with keep=["raw"].',
        )
    with _temporary_path(path) as part:
        is_gzip = path.suffix.lower() == ".gz"
        records = warc.write(part, pages.read_raw, compressed=is_gzip)
    return {"records": records, "size_bytes": path.stat().st_size}


def _lines(pages: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for record in pages:
        yield msgspec.json.encode(record) + b"\n"


class _temporary_path:
    """A temporary path in the same folder, moved into place if the block succeeds, else removed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_name(f".{path.name}.part")

    def __enter__(self) -> Path:
        _remove(self._part)
        return self._part

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            _remove(self._part)
            return
        with storage("writing", self._path):
            if self._path.is_dir():
                for file in self._path.iterdir():
                    if is_kept_name(file.name):
                        file.unlink()
                self._path.rmdir()
            self._part.replace(self._path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


_WRITERS: dict[ExportFormat, Callable[[Pages, Path, str], dict[str, int]]] = {
    "jsonl": _write_lines,
    "csv": _write_csv,
    "sqlite": _write_database,
    "markdown": _write_folder,
    "llms-txt": _write_list,
    "warc": _write_archive,
}

"""The formats of an export, and which one a file's name implies."""

from pathlib import Path
from typing import Literal, get_args

from ocd.api.errors import OcdError

ExportFormat = Literal["jsonl", "csv", "sqlite", "markdown", "llms-txt", "warc"]
_BY_SUFFIX: dict[str, ExportFormat] = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".sqlite": "sqlite",
    ".sqlite3": "sqlite", ".db": "sqlite", ".txt": "llms-txt", "": "markdown",
    ".warc": "warc", ".warc.gz": "warc",
}  # fmt: skip


def format_of(path: Path) -> ExportFormat:
    """Return the format that a path's name implies; invalid_argument if it implies none."""
    try:
        suffix = ".warc.gz" if path.name.lower().endswith(".warc.gz") else path.suffix.lower()
        return _BY_SUFFIX[suffix]
    except KeyError:
        raise OcdError(
            "invalid_argument",
            f"{path.name} has no extension of a known format",
            hint=f"Set format to one of: {', '.join(get_args(ExportFormat))}.",
            parameter="format",
        ) from None

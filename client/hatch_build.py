"""Addresses of both distributions, by where they are built: no address stands in the repository.

PROJECT_URL names the repository's web address; on GitHub its own variables say it. Without either,
the metadata has no URLs, and the description keeps its relative links. A source archive carries
what was found when it was built.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

# The target of a link or picture that is neither an address nor a place in the same document.
_RELATIVE = re.compile(r"(!?)(\[[^\]]*\]\()(?![a-z]+:|#)([^)\s]+)\)")


class CustomMetadataHook(MetadataHookInterface):
    """Fills in `urls` and `readme`; `folder` is where in the repository this project stands."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the dynamic fields, unless a source archive already has them."""
        url, ref = repository(os.environ)
        folder = self.config.get("folder", "")
        if url and "urls" not in metadata:
            metadata["urls"] = project_urls(url, ref)
        if "readme" not in metadata:
            text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
            text = absolute_links(text, url, ref, folder) if url else text
            metadata["readme"] = {"content-type": "text/markdown", "text": text}


def repository(environ: Mapping[str, str]) -> tuple[str, str]:
    """Return the repository's web address, empty if it is not known, and the version to link to."""
    url = environ.get("PROJECT_URL", "")
    if not url and environ.get("GITHUB_REPOSITORY"):
        server = environ.get("GITHUB_SERVER_URL", "https://github.com")
        url = f"{server}/{environ['GITHUB_REPOSITORY']}"
    tagged = environ.get("GITHUB_REF_TYPE") == "tag"
    return url.rstrip("/"), environ["GITHUB_REF_NAME"] if tagged else "HEAD"


def project_urls(url: str, ref: str) -> dict[str, str]:
    """Return the addresses that package registries show."""
    return {
        "Homepage": url,
        "Documentation": f"{url}/tree/{ref}/docs/pages",
        "Source": url,
        "Issues": f"{url}/issues",
        "Changelog": f"{url}/blob/{ref}/CHANGELOG.md",
    }


def absolute_links(text: str, url: str, ref: str, folder: str) -> str:
    """Return Markdown with absolute links into the repository; pictures lead to raw files."""

    def link(found: re.Match[str]) -> str:
        kind = "raw" if found[1] else "blob"
        path = os.path.normpath(f"{folder}/{found[3]}").lstrip("/")
        return f"{found[1]}{found[2]}{url}/{kind}/{ref}/{path})"

    return _RELATIVE.sub(link, text)

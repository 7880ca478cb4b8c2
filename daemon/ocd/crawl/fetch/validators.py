"""HTTP validators: whether a page has changed since it was fetched (RFC 9110, 13.1)."""

from typing import NamedTuple


class Validators(NamedTuple):
    """A page's HTTP validators, by which its server can tell whether it has changed."""

    url: str
    etag: str
    last_modified: str

    def headers(self) -> dict[str, str]:
        """Return the headers that ask for the page only if it has changed."""
        conditions = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in conditions.items() if value}

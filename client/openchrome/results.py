"""What verbs return."""

from __future__ import annotations

import json
from typing import Any


class Result(dict[str, Any]):
    """A verb's result: the JSON object that VERBS.md describes, with shortcuts to parts of it."""

    @property
    def text(self) -> str:
        """The page's text (the key `content`), written by strangers, not by the daemon."""
        return str(self.get("content", ""))

    @property
    def value(self) -> Any:
        """The value that a script returned (`javascript_tool`): any JSON value."""
        return self.text if self.get("type") == "string" else json.loads(self.text)

    @property
    def image(self) -> bytes:
        """The picture of a screenshot that was not written to a file; empty if there is none."""
        from binascii import a2b_base64

        image = self.get("image")
        return a2b_base64(image["data"]) if image else b""

    def _repr_mimebundle_(self, **_asked: Any) -> dict[str, str] | None:
        """Return the picture for a notebook; None: show the result as usual."""
        image = self.get("image")
        if not isinstance(image, dict):
            return None
        return {image["mime_type"]: image["data"], "text/plain": f"<{image['mime_type']}>"}

    def __repr__(self) -> str:
        return f"Result({super().__repr__()})"

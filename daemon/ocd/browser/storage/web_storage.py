"""localStorage and sessionStorage of a frame, through the isolated world."""

from dataclasses import dataclass
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import Tab
from ocd.safety.origins import origin_of_argument

Kind = Literal["local", "session"]

_HERE = "const all = globalThis[kind + 'Storage'];"
_ITEMS = f"(kind) => {{ {_HERE} return Object.entries(all); }}"
_GET = f"(kind, key) => {{ {_HERE} return all.getItem(key); }}"
_PUT = f"""(kind, items) => {{
  {_HERE}
  for (const [key, value] of items) all.setItem(key, value);
}}"""
_REMOVE = f"""(kind, key) => {{
  {_HERE}
  const there = all.getItem(key) !== null;
  all.removeItem(key);
  return there;
}}"""
_CLEAR = f"(kind) => {{ {_HERE} const count = all.length; all.clear(); return count; }}"


def frame_of(tab: Tab, origin: str | None) -> Frame:
    """Return the main frame, or the first one of that origin; not_found lists the others."""
    if origin is None:
        return tab.main_frame
    origin_wanted = origin_of_argument(origin) or origin.rstrip("/").lower()
    for frame in tab.frames():
        if frame.origin.rstrip("/") == origin_wanted:
            return frame
    available = list(dict.fromkeys(frame.origin for frame in tab.frames()))
    raise OcdError(
        "not_found", f"No frame of {origin} is in the page.",
        hint="Navigate to it, or use one of: " + ", ".join(available), origins=available,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class StorageArea:
    """One storage area. Every method raises storage_full, or disabled without any storage."""

    tab: Tab
    frame: Frame
    kind: Kind

    async def items(self) -> dict[str, str]:
        """Return all items, in the page's order."""
        return dict(await self._run(_ITEMS))

    async def get(self, key: str) -> str | None:
        """Return one item, or None."""
        value: str | None = await self._run(_GET, key)
        return value

    async def put(self, items: dict[str, str]) -> None:
        """Set items."""
        await self._run(_PUT, list(items.items()))

    async def remove(self, key: str) -> bool:
        """Remove one item; return whether it existed."""
        return bool(await self._run(_REMOVE, key))

    async def clear(self) -> int:
        """Remove all items and return their number."""
        return int(await self._run(_CLEAR))

    async def _run(self, source: str, *args: object) -> Any:  # noqa: ANN401 - any JSON value
        self.tab.guard.policy.check(self.frame.url)
        call = [self.kind, *args]
        try:
            return await self.tab.evaluate(source, args=call, isolated=True, frame=self.frame)
        except OcdError as error:
            raise _translate_error(error, self) from None


def _translate_error(error: OcdError, store: StorageArea) -> OcdError:
    if error.code != "script_error":
        return error
    if "QuotaExceededError" in error.message or "exceeded the quota" in error.message:
        return OcdError(
            "storage_full", f"{store.kind}Storage of {store.frame.origin} is full (5 MB).",
            hint="Remove some of its items first.",
        )  # fmt: skip
    if "SecurityError" in error.message or "Access is denied" in error.message:
        where = store.frame.url[:200] or "the page"
        return OcdError(
            "disabled", f"{where} has no {store.kind}Storage.",
            hint="about:, data: and sandboxed pages have none: navigate to a web page.",
        )  # fmt: skip
    return error

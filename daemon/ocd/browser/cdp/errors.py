"""How a CDP call's future ends when it does not end well."""

import asyncio
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.cdp.messages import Failure

# CDP's error for a session that is gone.
_NO_SESSION = -32001


def copy_error(error: OcdError) -> OcdError:
    """Return an error like this one."""
    # Each raising adds to an error's traceback: everybody gets one of his own.
    details: dict[str, Any] = error.details
    return OcdError(error.code, error.message, hint=error.hint, **details)


def fail(future: asyncio.Future[Any], error: OcdError) -> None:
    """End a call's future with the error, if it has not ended yet."""
    if not future.done():
        future.set_exception(copy_error(error))
        # Marks it as seen: many calls are sent without anybody waiting for their result.
        future.exception()


def cdp_error(method: str, failure: Failure) -> OcdError:
    """Return what Chromium's refusal of a call means: tab_gone or cdp_error."""
    detail = f" {failure.data}" if failure.data else ""
    if failure.code == _NO_SESSION:
        return OcdError("tab_gone", f"{method}: the tab is gone.", method=method)
    return OcdError("cdp_error", f"{method}: {failure.message}{detail}", method=method)

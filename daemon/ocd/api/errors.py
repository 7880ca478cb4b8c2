"""The only list of error codes, with their HTTP and exit statuses.

Standard library only, and little of it: the client's hot path imports this module.
"""

from collections.abc import Iterable

# code -> (HTTP status, exit status of oc). Codes are stable, texts may change.
CODES: dict[str, tuple[int, int]] = {
    # the request
    "bad_request": (400, 2),
    "invalid_argument": (400, 2),
    "unknown_verb": (404, 2),
    "request_too_large": (413, 2),
    "not_found": (404, 2),
    "forbidden": (403, 1),
    "CAPABILITY_DISABLED": (403, 1),
    "limit_reached": (429, 5),
    "busy": (503, 5),
    "shutting_down": (503, 5),
    "timeout": (504, 4),
    "cancelled": (499, 130),
    "internal": (500, 1),
    # payloads and paths
    "source_conflict": (400, 2),
    "source_missing": (400, 2),
    "path_not_absolute": (400, 2),
    "path_outside_roots": (403, 1),
    "path_denied": (403, 1),
    "file_not_found": (404, 1),
    "storage_failed": (507, 1),
    "storage_full": (507, 1),
    "unreadable_file": (500, 1),
    "config_invalid": (400, 2),
    "secret_not_found": (404, 2),
    "address_in_use": (503, 1),
    # browser and tabs
    "browser_not_found": (503, 5),
    "browser_failed": (503, 5),
    "browser_gone": (503, 5),
    "disabled": (403, 1),
    "no_tab": (409, 1),
    "tab_not_found": (404, 1),
    "tab_crashed": (502, 1),
    "tab_gone": (410, 1),
    "dialog_open": (409, 1),
    "human_in_control": (423, 5),
    "invalid_url": (400, 2),
    "domain_blocked": (403, 1),
    "exfiltration_denied": (403, 1),
    "consent_needed": (403, 1),
    "action_denied": (403, 1),
    "navigation_failed": (502, 1),
    "certificate_invalid": (502, 1),
    "too_many_redirects": (502, 1),
    "download_started": (409, 1),
    "element_not_found": (404, 1),
    "ambiguous": (409, 1),
    "stale_ref": (409, 1),
    "detached": (409, 1),
    "not_visible": (409, 1),
    "not_enabled": (409, 1),
    "moving": (409, 1),
    "covered": (409, 1),
    "wrong_value": (422, 1),
    "fields_failed": (422, 1),
    "value_differs": (422, 1),
    "not_moved": (422, 1),
    "not_understood": (422, 2),
    "option_not_found": (422, 1),
    "already_capturing": (409, 1),
    "not_running": (409, 1),
    "mode_mismatch": (409, 1),
    "unknown_insight": (404, 2),
    "unknown_trace_id": (404, 1),
    "script_error": (422, 1),
    "cdp_error": (502, 1),
    # tools that pages offer
    "webmcp_unsupported": (501, 1),
    "page_tool_not_found": (404, 1),
    "page_tool_failed": (422, 1),
    # crawling: these stand in page records, robots_denied also answers a denied start page
    "robots_denied": (403, 1),
    "http_error": (502, 1),
    "fetch_failed": (502, 1),
    "out_of_scope": (403, 1),
    "too_large": (502, 1),
    "conversion_failed": (502, 1),
    "not_html": (502, 1),
    "sitemap_not_found": (404, 1),
    "injected_failure": (500, 1),
    "cluster_lost": (503, 5),
    # tasks and handles
    "task_not_found": (404, 1),
    "orphaned": (500, 1),
    "daemon_stopped": (503, 1),
    "not_resumable": (409, 1),
    "output_handle_not_found": (404, 1),
    "invalid_format_for_payload": (400, 1),
    # recordings
    "recording_active": (409, 1),
    "recording_not_active": (409, 1),
    "recording_not_found": (404, 1),
    # skills
    "step_failed": (422, 1),
    # workers, workflows and plans
    "worker_not_found": (404, 1),
    "workflow_not_found": (404, 1),
    "plan_not_found": (404, 1),
    "plan_failed": (422, 1),
    "batch_failed": (422, 1),
    # tools of other MCP servers
    "upstream_gone": (503, 5),
    "upstream_failed": (502, 1),
    "upstream_withheld": (403, 1),
    # uploads to a site
    "login_required": (401, 1),
    "upload_forbidden": (403, 1),
    "collection_not_found": (404, 1),
    "upload_rejected": (422, 1),
    "upload_failed": (502, 1),
    # said by the client alone
    "no_daemon": (503, 3),
}


class OcdError(Exception):
    """An error that a caller can act on: `code` from CODES, a message, a hint with the next step.

    `details` are further keys of the error object (JSON values).
    """

    def __init__(self, code: str, message: str, *, hint: str = "", **details: object) -> None:
        super().__init__(message)
        assert code in CODES, code
        self.code = code
        self.message = message
        self.hint = hint
        self.details = details

    def body(self) -> dict[str, object]:
        """Return the wire shape: code, message, hint if there is one, then the details."""
        hint = {"hint": self.hint} if self.hint else {}
        return {"code": self.code, "message": self.message, **hint, **self.details}

    def __repr__(self) -> str:
        return f"OcdError({self.code!r}, {self.message!r})"


def error_from_body(body: dict[str, object]) -> OcdError:
    """Return the error that `body` describes; a code of a newer daemon becomes `internal`."""
    rest = {k: v for k, v in body.items() if k not in ("code", "message", "hint")}
    code = str(body.get("code", "internal"))
    known = code if code in CODES else "internal"
    return OcdError(known, str(body.get("message", "")), hint=str(body.get("hint", "")), **rest)


def did_you_mean(
    name: str,
    names: Iterable[str],
    otherwise: str = "",
    *,
    template: str = "{}",
    cutoff: float = 0.6,
) -> str:
    """Return the hint for a misspelt name: "Did you mean 'max_pages'?".

    Args:
        name: what the caller wrote.
        names: the names that exist.
        otherwise: the hint if none of them is near.
        template: how the nearest name is shown, for example "--{}" for an option.
        cutoff: how alike names must be, from 0 to 1.
    """
    import difflib  # only needed after a mistake

    near = difflib.get_close_matches(name, list(names), 1, cutoff)
    return f"Did you mean '{template.format(near[0])}'?" if near else otherwise


def http_status(code: str) -> int:
    """Return the HTTP status of an error code (500 for one this version does not know)."""
    return CODES.get(code, (500, 1))[0]


def exit_status(code: str) -> int:
    """Return the shell's exit status of an error code (1 for one this version does not know)."""
    return CODES.get(code, (500, 1))[1]

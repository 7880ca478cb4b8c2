"""The meaning of each error code and what to do about it, for the documentation.

Separate from errors.py, which defines the statuses and which the client imports on every call. The
message and hint of an error say more: they describe the actual case.
"""

# code -> (what happened, what to do)
MEANINGS: dict[str, tuple[str, str]] = {
    "bad_request": ("The request is not a valid call.", 'Send `{"verb": "…", "params": {…}}`.'),
    "invalid_argument": (
        "A parameter is missing, unknown, of the wrong type or out of range.",
        "The error names the parameter; the verb's page lists all of them.",
    ),
    "unknown_verb": ("There is no verb of that name.", "The error suggests the nearest one."),
    "request_too_large": (
        "The request, or a file it names, is larger than the limit.",
        "Pass large values by path: every large parameter has a companion that ends in `_path`.",
    ),
    "not_found": ("Nothing exists at this address or with this id.", "List what exists."),
    "forbidden": (
        "The caller belongs to another user, or connected in a way that is not allowed.",
        "Use the socket as the same user, or the token over HTTP.",
    ),
    "CAPABILITY_DISABLED": (
        "The verb's capability group is left out by `--tools-only` or `--disable-tools`.",
        "This is the user's choice: do without the verb, or ask the user to enable the group.",
    ),
    "limit_reached": (
        "A limit of the daemon or of the machine is reached: tabs, scripts, threads, memory.",
        "Close or remove something first; the error says what.",
    ),
    "busy": ("Too many calls or tasks are in progress.", "Try again later."),
    "shutting_down": ("The daemon is stopping.", "Start it again: `ocd start`."),
    "timeout": (
        "The call's deadline has passed.",
        "Pass a larger `timeout_ms`, or start the work as a task.",
    ),
    "cancelled": (
        "The caller, or somebody else, cancelled the call or task.",
        "Nothing, or call again.",
    ),
    "internal": (
        "A bug in OpenChrome.",
        "`ocd logs ID`, with the id from the error, shows the traceback. Please report it.",
    ),
    "source_conflict": (
        "A value was given in two ways, for example inline and as a path.",
        "Pass it once.",
    ),
    "source_missing": (
        "A value was not given in any of the possible ways.",
        "Pass it in one of them.",
    ),
    "path_not_absolute": ("A path is relative.", "Pass an absolute path."),
    "path_outside_roots": (
        "An agent host named a file outside the allowed folders.",
        "Use one of the folders that the error lists, or start with `--allow-file-root DIR`.",
    ),
    "path_denied": (
        "No caller may name this file, for example because it holds a key.",
        "Name another file. No setting allows this one.",
    ),
    "file_not_found": ("A file does not exist or cannot be read.", "Check its path."),
    "storage_failed": ("A file could not be written.", "Check the path in the error."),
    "storage_full": (
        "The disk, the output store or a page's storage is full.",
        "Free space, raise `max_store_mb`, or lower `output_handle_ttl_hours`.",
    ),
    "unreadable_file": (
        "A stored file is damaged.",
        "It is left unchanged. Repeat the call that created it.",
    ),
    "config_invalid": (
        "config.toml, an environment variable or a flag is invalid.",
        "Run `ocd config check`.",
    ),
    "secret_not_found": (
        "`${SECRET:NAME}` names a secret that does not exist.",
        "Add it to the file passed as `--secrets`.",
    ),
    "address_in_use": (
        "Another program is listening on this port.",
        "Choose another port, or 0 for any free one.",
    ),
    "browser_not_found": ("No Chromium is installed.", "`ocd doctor --fix` installs one."),
    "browser_failed": ("Chromium did not start.", "`ocd doctor` says why."),
    "browser_gone": ("Chromium exited during the call.", "Call again: Chromium is restarted."),
    "disabled": ("This feature is switched off.", "The hint says how to switch it on."),
    "no_tab": ("The session has no tab.", "Open a page: `oc navigate URL`."),
    "tab_not_found": ("The session has no tab with this id.", "`oc tabs context` lists its tabs."),
    "tab_crashed": (
        "The page's renderer process has crashed.",
        "Reload the page, or open a new tab.",
    ),
    "tab_gone": ("The tab was closed during the call.", "Open the page again."),
    "dialog_open": (
        "A dialog of the page is open and blocks it.",
        "`oc dialog accept` or `oc dialog dismiss`.",
    ),
    "human_in_control": (
        "A person has taken control of this tab.",
        "Wait until it is given back, or work in another tab.",
    ),
    "invalid_url": ("The address is not one that can be opened.", "Pass a complete URL."),
    "domain_blocked": (
        "The domain policy forbids this host.",
        "This is the user's choice: `allow_domain` and `block_domain`.",
    ),
    "exfiltration_denied": (
        "The call would send data to another origin after an untrusted page was read.",
        "A person can allow it; see [Security](security.md).",
    ),
    "consent_needed": (
        "A person has to agree first.",
        "`oc approvals` lists what is pending. Call again once it is allowed.",
    ),
    "action_denied": (
        "A person, or a rule in `[[policy.action]]`, refused the action.",
        "Continue without it, or suggest an alternative.",
    ),
    "navigation_failed": (
        "The page could not be loaded: DNS, connection or protocol error.",
        "Check the address and the network.",
    ),
    "certificate_invalid": (
        "The site's certificate is not valid.",
        "Check the address. For a site of your own: `--ignore-certificate-errors`.",
    ),
    "too_many_redirects": (
        "The address redirects endlessly.",
        "Clear the site's cookies and try again.",
    ),
    "download_started": (
        "The address is a file, which is now being downloaded.",
        "`oc downloads` says where it is.",
    ),
    "element_not_found": ("Nothing on the page matches.", "Read the page again."),
    "ambiguous": (
        "Several elements match equally well.",
        "Use the ref of one of the `candidates`, or add words.",
    ),
    "stale_ref": ("The element with this ref is gone.", "Read the page again for new refs."),
    "detached": ("The element's frame was removed.", "Read the page again."),
    "not_visible": ("The element is not visible.", "Open what hides it, or scroll to it."),
    "not_enabled": ("The element is disabled.", "Fill in what it depends on first."),
    "moving": ("The element did not stop moving in time.", "Wait, or raise `timeout_ms`."),
    "covered": ("Another element covers it.", "Close what covers it; the error names it."),
    "wrong_value": (
        "The field or file does not accept a value of this form.",
        "The error says which form is expected.",
    ),
    "fields_failed": (
        "Some fields could not be filled, or are invalid to the browser; nothing was submitted.",
        "The others are filled. Fill the named ones again.",
    ),
    "value_differs": (
        "The field holds or shows a different value from the one given.",
        "Compare `expected` with `held`; the page may format its input.",
    ),
    "not_moved": (
        "What was dragged is where it was, and nothing else has changed.",
        "Look at what the page says: the target may not accept it.",
    ),
    "not_understood": (
        "A step of the instruction was not understood. Nothing was done.",
        'Begin with a verb and quote names: click "Sign in".',
    ),
    "option_not_found": ("The list has no such option.", "Choose one that the error lists."),
    "already_capturing": ("A capture is already running in this tab.", "Stop it first."),
    "not_running": ("No capture is running in this tab.", "Start one."),
    "mode_mismatch": ("The running capture is of the other mode.", "Use the verb of its mode."),
    "unknown_insight": ("There is no such insight.", "The error lists the insights."),
    "unknown_trace_id": (
        "The session has no such trace.",
        "Record one: `oc performance-insights`.",
    ),
    "script_error": (
        "The script threw an exception, or its page went away.",
        "Correct the script.",
    ),
    "cdp_error": ("Chromium rejected a command.", "The message is Chromium's own."),
    "webmcp_unsupported": (
        "This Chromium does not support tools offered by pages (WebMCP).",
        "Use Chromium 156 or later; `ocd doctor` names the installed one.",
    ),
    "page_tool_not_found": (
        "The page offers no such tool at the moment.",
        "`oc page-tools` lists its tools.",
    ),
    "page_tool_failed": ("The page's tool failed.", "The error contains the page's own message."),
    "robots_denied": (
        "robots.txt forbids the page.",
        "If you may crawl it anyway: `--no-respect-robots`.",
    ),
    "http_error": (
        "The server answered with an error status.",
        "The page's record has the status.",
    ),
    "fetch_failed": (
        "The connection failed or was interrupted.",
        "Resume the crawl, which tries again.",
    ),
    "out_of_scope": (
        "A redirect leads out of the crawl's scope.",
        "Widen `scope` or `include` if the page belongs to the crawl.",
    ),
    "too_large": ("The page, file or value is larger than the limit.", "Request a smaller part."),
    "conversion_failed": (
        "Converting the page took too much time or memory.",
        "Read a part of it, with a selector, or its outline.",
    ),
    "not_html": ("The address is not a web page.", "Download the file itself."),
    "sitemap_not_found": (
        "No sitemap was found for the site.",
        "Pass `sitemap_url`, or crawl by links.",
    ),
    "injected_failure": ("A crawl was instructed to fail (`fail_on_page`).", "This is for tests."),
    "cluster_lost": (
        "The cluster whose workers read a crawl's pages is unreachable.",
        "Finished pages are kept: `oc task resume ID`, once the cluster is back.",
    ),
    "task_not_found": ("There is no such task.", "`oc task list` lists tasks."),
    "orphaned": (
        "The daemon exited while the task was running.",
        "Finished pages are kept: `oc task resume ID`.",
    ),
    "daemon_stopped": (
        "The daemon was stopped while the task was running.",
        "Finished pages are kept: `oc task resume ID`.",
    ),
    "not_resumable": ("The task cannot be resumed.", "The message says why. Start it again."),
    "output_handle_not_found": (
        "The handle is unknown or has expired.",
        "Repeat the call that created it.",
    ),
    "invalid_format_for_payload": (
        "The stored output is not available in this format.",
        "Use another format; the message lists them.",
    ),
    "recording_active": (
        "The session is already being recorded.",
        "`oc recording stop` stops the recording.",
    ),
    "recording_not_active": (
        "The session is not being recorded.",
        "`oc recording start` starts a recording.",
    ),
    "recording_not_found": ("There is no such recording.", "`oc recording list` lists recordings."),
    "step_failed": ("A step of a skill failed.", "Look at the page, then record the skill again."),
    "worker_not_found": ("There is no such worker.", "`oc worker list` lists workers."),
    "workflow_not_found": ("There is no such workflow.", "`oc workflow init` starts one."),
    "plan_not_found": ("There is no stored plan with this id.", "Pass the plan itself."),
    "plan_failed": ("A step of the plan failed.", "The task contains the result of each step."),
    "batch_failed": ("All tasks of the batch failed.", "The message contains the first failure."),
    "upstream_gone": (
        "An MCP server behind the gateway is unavailable.",
        "`oc mcp upstreams` shows its state.",
    ),
    "upstream_failed": (
        "A tool of another MCP server failed.",
        "The error contains the server's own message.",
    ),
    "upstream_withheld": (
        "The tool has changed since a person approved it.",
        "Review it: `oc mcp approve NAME`.",
    ),
    "login_required": ("The site, or the dashboard, requires a login.", "Log in there first."),
    "upload_forbidden": ("The site refused the upload.", "Check the user's permissions."),
    "collection_not_found": ("There is no such collection.", "Check the address, team and id."),
    "upload_rejected": ("The site rejected the files.", "The error contains the site's reasons."),
    "upload_failed": ("The upload was not completed.", "The message says how far it got."),
    "no_daemon": ("No daemon is running, and starting one was not allowed.", "Run `ocd start`."),
}

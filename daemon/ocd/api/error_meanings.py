"""What each error code means and what to do about it, for people who read the documentation.

Beside errors.py, which the client imports in every call and which decides the statuses. Whoever
meets an error also has its message and hint, which say what happened there and then.
"""

# code -> (what happened, what to do)
MEANINGS: dict[str, tuple[str, str]] = {
    "bad_request": ("The request is not a call.", 'Send `{"verb": "…", "params": {…}}`.'),
    "invalid_argument": (
        "A parameter is missing, unknown, of the wrong type or out of bounds.",
        "The error names the parameter; the verb's page lists all of them.",
    ),
    "unknown_verb": ("There is no verb of that name.", "The error suggests the nearest one."),
    "request_too_large": (
        "The request, or a file it names, is larger than the limit.",
        "Pass large values by path: every large parameter has a companion that ends in `_path`.",
    ),
    "not_found": ("There is nothing at this address or with this id.", "List what there is."),
    "forbidden": (
        "The caller is not of the daemon's user, or came by a way that is not allowed.",
        "Use the socket as the same user, or the token over HTTP.",
    ),
    "CAPABILITY_DISABLED": (
        "The verb's group is left out by `--tools-only` or `--disable-tools`.",
        "That is the user's choice. Do without, or ask to let the group in.",
    ),
    "limit_reached": (
        "A limit of the daemon or of the machine is reached: tabs, scripts, threads, memory.",
        "Close or remove something first; the error says what.",
    ),
    "busy": ("Too much is going on at once.", "Try again."),
    "shutting_down": ("The daemon is stopping.", "Start it again: `ocd start`."),
    "timeout": (
        "The call's deadline has passed.",
        "Give a larger `timeout_ms`, or start the work as a task.",
    ),
    "cancelled": ("The caller, or somebody else, cancelled it.", "Nothing; start it again."),
    "internal": (
        "A fault of OpenChrome.",
        "`ocd logs ID`, with the id that the error gives, shows the traceback. Please report it.",
    ),
    "source_conflict": ("A value was given in two ways.", "Give it once."),
    "source_missing": ("A value was given in none of the possible ways.", "Give one of them."),
    "path_not_absolute": ("A path is relative.", "Give the whole path."),
    "path_outside_roots": (
        "An agent host named a file outside the folders that it may use.",
        "Use one of the folders that the error lists, or start with `--allow-file-root DIR`.",
    ),
    "path_denied": (
        "The file is one that no caller may name, such as a key.",
        "Name another file. No setting allows it.",
    ),
    "file_not_found": ("A file does not exist or cannot be read.", "Check its path."),
    "storage_failed": ("The disk refused to write.", "Look at the path in the error."),
    "storage_full": (
        "The disk, the output store or a page's storage is full.",
        "Make room, raise `max_store_mb`, or lower `output_handle_ttl_hours`.",
    ),
    "unreadable_file": (
        "A stored file is damaged.",
        "It is left as it is. Run the call again that made it.",
    ),
    "config_invalid": ("config.toml, a variable or a flag is wrong.", "`ocd config check`."),
    "secret_not_found": (
        "`${SECRET:NAME}` names a secret that does not exist.",
        "Add it to the file of `--secrets`.",
    ),
    "address_in_use": ("Another program listens on this port.", "Choose another port, or 0."),
    "browser_not_found": ("No Chromium is installed.", "`ocd doctor --fix` installs one."),
    "browser_failed": ("Chromium did not start.", "`ocd doctor` says why."),
    "browser_gone": ("Chromium died during the call.", "Call again: it is started again."),
    "disabled": ("Something is switched off here.", "The hint says how to switch it on."),
    "no_tab": ("The session has no tab.", "Open a page: `oc navigate URL`."),
    "tab_not_found": ("The session has no tab of this id.", "`oc tabs context` lists them."),
    "tab_crashed": ("The page's process has crashed.", "Reload it, or open a new tab."),
    "tab_gone": ("The tab was closed during the call.", "Open the page again."),
    "dialog_open": (
        "A dialog of the page stands in the way.",
        "`oc dialog accept` or `oc dialog dismiss`.",
    ),
    "human_in_control": (
        "A person holds this tab.",
        "Wait until it is given back, or work in another tab.",
    ),
    "invalid_url": ("Not an address that can be opened.", "Give the whole URL."),
    "domain_blocked": (
        "The domain policy forbids this host.",
        "That is the user's choice: `allow_domain` and `block_domain`.",
    ),
    "exfiltration_denied": (
        "Data would have gone to another origin after a page of strangers was read.",
        "A person can allow it; see [Security](security.md).",
    ),
    "consent_needed": (
        "A person has to agree first.",
        "`oc approvals` lists what waits. Then call again.",
    ),
    "action_denied": (
        "A person, or a rule of `[[policy.action]]`, refused the action.",
        "Go on without it, or say what else could be done.",
    ),
    "navigation_failed": (
        "The page could not be loaded: name, connection or protocol.",
        "Check the address and the network.",
    ),
    "certificate_invalid": (
        "The site's certificate is not valid.",
        "Check the address. For a site of your own: `--ignore-certificate-errors`.",
    ),
    "too_many_redirects": (
        "The address redirects without end.",
        "Clear its cookies and try again.",
    ),
    "download_started": (
        "The address is a file, and it is being downloaded.",
        "`oc downloads` says where it is.",
    ),
    "element_not_found": ("Nothing on the page matches.", "Read the page again."),
    "ambiguous": (
        "Several things match equally well.",
        "Take the ref of one of the `candidates`, or add words.",
    ),
    "stale_ref": ("The element of this ref has gone.", "Read the page again for new refs."),
    "detached": ("The element's frame was removed.", "Read the page again."),
    "not_visible": ("The element is not shown.", "Open what hides it, or scroll to it."),
    "not_enabled": ("The element is disabled.", "Fill in what it depends on first."),
    "moving": ("The element did not come to rest in time.", "Wait, or raise `timeout_ms`."),
    "covered": ("Another element covers it.", "Close what covers it; the error names it."),
    "wrong_value": (
        "The value is not of the form that this field or file takes.",
        "The error says which form is expected.",
    ),
    "fields_failed": (
        "Some fields of a form could not be filled; nothing was submitted.",
        "The others are filled. Fill the named ones again.",
    ),
    "value_differs": (
        "The field holds or shows another value than it was given.",
        "Compare `expected` with `held`; the page may format what is typed.",
    ),
    "not_understood": (
        "A step of the instruction is not understood. Nothing was done.",
        'Begin with what to do and quote names: click "Sign in".',
    ),
    "option_not_found": ("The list has no such option.", "Choose one that the error lists."),
    "already_capturing": ("A capture runs in this tab.", "Stop it first."),
    "not_running": ("No capture runs in this tab.", "Start one."),
    "mode_mismatch": ("The running capture is of the other mode.", "Use the verb of its mode."),
    "unknown_insight": ("There is no such insight.", "The error lists them."),
    "unknown_trace_id": (
        "The session has no such trace.",
        "Record one: `oc performance-insights`.",
    ),
    "script_error": ("The script threw, or its page went away.", "Correct the script."),
    "cdp_error": ("Chromium refused a command.", "The message is Chromium's own."),
    "webmcp_unsupported": (
        "This Chromium does not know tools that pages offer.",
        "Use Chromium 156 or newer; `ocd doctor` says which one runs.",
    ),
    "page_tool_not_found": ("The page offers no such tool now.", "`oc page-tools` lists them."),
    "page_tool_failed": ("The page's tool failed.", "The page's own words are in the error."),
    "robots_denied": (
        "robots.txt forbids the page.",
        "If you may crawl it all the same: `--no-respect-robots`.",
    ),
    "http_error": ("The server answered with an error status.", "The record has the status."),
    "fetch_failed": ("The connection failed or broke off.", "Resume the crawl: it tries again."),
    "out_of_scope": (
        "A redirect leads out of the crawl's scope.",
        "Widen `scope` or `include` if the page belongs to the crawl.",
    ),
    "too_large": ("The page, file or value is larger than the limit.", "Ask for less of it."),
    "conversion_failed": (
        "The page could not be converted in time or memory.",
        "Read a part of it, with a selector, or its outline.",
    ),
    "not_html": ("The address has no page.", "Ask for the file itself."),
    "sitemap_not_found": ("The site has no sitemap.", "Give `sitemap_url`, or crawl by links."),
    "injected_failure": ("A crawl was told to fail (`fail_on_page`).", "This is for tests."),
    "cluster_lost": (
        "The cluster whose workers read a crawl's pages is not there.",
        "Its finished pages are kept: `oc task resume ID`, once the cluster is back.",
    ),
    "task_not_found": ("There is no such task.", "`oc task list`."),
    "orphaned": (
        "The daemon died while the task ran.",
        "Its finished pages are kept: `oc task resume ID`.",
    ),
    "daemon_stopped": (
        "The daemon was stopped while the task ran.",
        "Its finished pages are kept: `oc task resume ID`.",
    ),
    "not_resumable": ("The task cannot be resumed.", "The message says why. Start it again."),
    "output_handle_not_found": (
        "The handle is unknown, or has expired.",
        "Run the call again that made it.",
    ),
    "invalid_format_for_payload": (
        "What is stored has no such format.",
        "Ask for another format; the message says what there is.",
    ),
    "recording_active": ("The session is being recorded already.", "`oc recording stop`."),
    "recording_not_active": ("The session is not being recorded.", "`oc recording start`."),
    "recording_not_found": ("There is no such recording.", "`oc recording list`."),
    "step_failed": (
        "A step of a skill failed.",
        "Look at the page, then record the skill again.",
    ),
    "worker_not_found": ("There is no such worker.", "`oc worker list`."),
    "workflow_not_found": ("There is no such workflow.", "Start one: `oc workflow init`."),
    "plan_not_found": ("There is no stored plan of this id.", "Pass the plan itself."),
    "plan_failed": ("A step of the plan failed.", "The task has what each step answered."),
    "batch_failed": ("All parts of the batch failed.", "The first failure is in the message."),
    "upstream_gone": ("An MCP server behind the gateway is not there.", "`oc mcp upstreams`."),
    "upstream_failed": ("A tool of another MCP server failed.", "Its own words are in the error."),
    "upstream_withheld": (
        "The tool has changed since a person approved it.",
        "Review it: `oc mcp approve NAME`.",
    ),
    "login_required": ("The site, or the dashboard, wants a login.", "Log in there first."),
    "upload_forbidden": ("The site refused the upload.", "Check the rights of the user."),
    "collection_not_found": ("There is no such collection.", "Check the address, team and id."),
    "upload_rejected": ("The site rejected the files.", "The error has the site's reasons."),
    "upload_failed": ("The upload did not go through.", "The message says how far it came."),
    "no_daemon": ("No daemon runs, and none was to be started.", "`ocd start`."),
}

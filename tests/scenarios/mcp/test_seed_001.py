# ruff: noqa: E501 - the lines of the seeds stay as they are
"""The task ledger: the real verification of seed 001, in order, by curl on the fixture site."""

from collections.abc import Callable

from support.daemon import Daemon
from support.shell import bash
from support.site import Site

# The seed calls mcp__openchrome__<verb>; here <verb> is called by curl: call VERB JSON.
CALL = r"""
call() {
  mcpA "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}" \
    | jq -c '.result.content[0].text | fromjson'
}
fail() { echo "FAIL: $*"; exit 1; }
"""


def test_the_ledger_from_start_to_orphan(make_daemon: Callable[..., Daemon], site: Site) -> None:
    """Start, list, cancel after a page, restart with it still listed, kill -9, reap, wait."""
    daemon = make_daemon("--http", "0")
    # Page 3 waits at a gate, so that the crawl is still under way when it is cancelled.
    crawl = f'{{"url":"{site.url("chain/1?hold=3")}","maxPages":5,"sameOrigin":true}}'
    task = bash(daemon, CALL + r"""
call navigate "{\"url\":\"$SITE/article.html\"}" | jq -e '.status == 200' >/dev/null || fail navigate

STARTED=$(call oc_task_start "{\"kind\":\"crawl\",\"args\":$CRAWL}")
TASK=$(echo "$STARTED" | jq -r .task_id)
[[ "$TASK" =~ ^[0-9a-f]{16}$ ]] || fail "task_id $STARTED"
echo "$STARTED" | jq -e '.status == "PENDING" or .status == "RUNNING"' >/dev/null || fail "status $STARTED"

call oc_task_list '{}' \
  | jq -e --arg id "$TASK" '.tasks[] | select(.task_id == $id) | (.status == "PENDING" or .status == "RUNNING") and .kind == "crawl"' >/dev/null \
  || fail "oc_task_list"

SECONDS=0
until call oc_task_get "{\"task_id\":\"$TASK\"}" | jq -e '.meta.progress.done >= 1' >/dev/null; do
  [[ $SECONDS -lt 20 ]] || fail "no page finished"
done

BEFORE=$(date +%s%N)
call oc_task_cancel "{\"task_id\":\"$TASK\"}" | jq -e '.meta.status == "CANCELLED"' >/dev/null || fail "oc_task_cancel"
TOOK_MS=$((($(date +%s%N) - BEFORE) / 1000000))
[[ $TOOK_MS -le 2000 ]] || fail "cancelling took $TOOK_MS ms"

call oc_task_get "{\"task_id\":\"$TASK\",\"include_result\":true}" \
  | jq -e '.meta.status == "CANCELLED" and (.result.pages | length) >= 1' >/dev/null || fail "partial result"
call oc_stop '{}' | jq -e 'has("error") | not' >/dev/null || fail oc_stop
echo "$TASK"
""", SITE=site.origin, CRAWL=crawl).strip()  # fmt: skip

    daemon.restart()
    seen = len(site.seen("chain/3"))
    second = bash(daemon, CALL + r"""
call oc_task_list '{}' \
  | jq -e --arg id "$TASK" '.tasks[] | select(.task_id == $id) | .status == "CANCELLED"' >/dev/null \
  || fail "not listed after the restart"
call oc_task_start "{\"kind\":\"crawl\",\"args\":$CRAWL}" | jq -r .task_id
""", TASK=task, CRAWL=crawl).strip()  # fmt: skip
    site.wait_for("chain/3", seen + 1)  # the second crawl is in the middle of its third page
    daemon.kill9().start()

    fast = f'{{"url":"{site.url("article.html")}","maxPages":1}}'
    said = bash(daemon, CALL + r"""
call oc_task_get "{\"task_id\":\"$TASK\"}" \
  | jq -e '.meta.status == "FAILED" and .meta.error.code == "orphaned"' >/dev/null || fail "not reaped"

FAST=$(call oc_task_start "{\"kind\":\"crawl\",\"args\":$CRAWL}" | jq -r .task_id)
call oc_task_wait "{\"task_id\":\"$FAST\",\"timeout_ms\":30000}" | jq -r .meta.status
""", TASK=second, CRAWL=fast)  # fmt: skip
    assert said == "COMPLETED\n"

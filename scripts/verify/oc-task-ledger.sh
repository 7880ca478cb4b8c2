#!/usr/bin/env bash
# The verification of seed 001, the task ledger: its nine steps in its order.
#
# What differs from the seed: mcp__openchrome__VERB is `call VERB JSON`, by curl; a site of its own
# (site.py) for example.com, whose third slow page never ends, so that a crawl is under way when it
# is cancelled or killed; `ocd restart` beside oc_stop, which ends the browser only. Prints a line
# for each step, and exits with 1 at the first that fails. Needs bash, curl, jq.
source "$(dirname "$0")/instance.sh"

call() {
  mcpA "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}" |
    jq -c '.result.content[0].text | fromjson'
}

# finished_a_page TASK: poll with oc_task_get every 250 ms until a page has completed
finished_a_page() {
  SECONDS=0
  until call oc_task_get "{\"task_id\":\"$1\"}" | jq -e '.meta.progress.done >= 1' >/dev/null; do
    [[ $SECONDS -lt 60 ]] || fail "no page was finished"
    sleep 0.25
  done
}

SLOW="{\"kind\":\"crawl\",\"args\":{\"url\":\"$SITE/slow/1.html\",\"maxPages\":5,\"sameOrigin\":true}}"
start_instance

call navigate "{\"url\":\"$SITE/1.html\"}" | jq -e '.status == 200' >/dev/null || fail navigate
echo "OK navigate"

STARTED=$(call oc_task_start "$SLOW")
TASK=$(echo "$STARTED" | jq -r .task_id)
[[ "$TASK" =~ ^[0-9a-f]{16}$ ]] || fail "task_id: $STARTED"
echo "$STARTED" | jq -e '.status == "PENDING" or .status == "RUNNING"' >/dev/null || fail "status: $STARTED"
echo "OK oc_task_start: 16 hex, PENDING or RUNNING"

call oc_task_list '{}' |
  jq -e --arg id "$TASK" '.tasks[] | select(.task_id == $id) | (.status == "PENDING" or .status == "RUNNING") and .kind == "crawl"' >/dev/null ||
  fail "oc_task_list"
echo "OK oc_task_list: the task, kind crawl"

finished_a_page "$TASK"
BEFORE=$(date +%s%N)
call oc_task_cancel "{\"task_id\":\"$TASK\"}" | jq -e '.meta.status == "CANCELLED"' >/dev/null || fail "oc_task_cancel"
TOOK_MS=$((($(date +%s%N) - BEFORE) / 1000000))
[[ $TOOK_MS -le 2000 ]] || fail "cancelling took $TOOK_MS ms"
echo "OK oc_task_cancel: CANCELLED within 2 s"

call oc_task_get "{\"task_id\":\"$TASK\",\"include_result\":true}" |
  jq -e '.meta.status == "CANCELLED" and (.result.pages | length) >= 1' >/dev/null || fail "partial result"
echo "OK oc_task_get: partial pages"

call oc_stop '{}' | jq -e 'has("error") | not' >/dev/null || fail oc_stop
start_instance
call oc_task_list '{}' |
  jq -e --arg id "$TASK" '.tasks[] | select(.task_id == $id) | .status == "CANCELLED"' >/dev/null ||
  fail "not listed after the restart"
echo "OK oc_task_list after a restart: still there, CANCELLED"

SECOND=$(call oc_task_start "$SLOW" | jq -r .task_id)
finished_a_page "$SECOND"
kill -9 "$(ocd status --json | jq .pid)"
start_instance
call oc_task_get "{\"task_id\":\"$SECOND\",\"include_result\":true}" |
  jq -e '.meta.status == "FAILED" and .meta.error.code == "orphaned" and (.result.pages | length) >= 1' >/dev/null ||
  fail "not reaped"
echo "OK kill -9: FAILED, orphaned, its pages kept"

FAST=$(call oc_task_start "{\"kind\":\"crawl\",\"args\":{\"url\":\"$SITE/1.html\",\"maxPages\":1}}" | jq -r .task_id)
call oc_task_wait "{\"task_id\":\"$FAST\",\"timeout_ms\":30000}" |
  jq -e '.meta.status == "COMPLETED"' >/dev/null || fail "oc_task_wait"
echo "OK oc_task_wait: COMPLETED"

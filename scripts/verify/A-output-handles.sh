#!/usr/bin/env bash
# The verification of seed 000, output handles: its seven scenarios as it writes them.
#
#   A-output-handles.sh [BYTES_FILE]   BYTES_FILE: where scenario 5 records its two numbers,
#                                      A-output-handles-bytes.txt beside this script if not given
#
# What differs from the seed: `ocd start` for `node dist/index.js`, a site of its own (site.py) for
# example.com and serve.mjs, `output_mode: inline` in scenario 5's baseline (the large-output guard
# of seed 002 is younger), and scenario 6 looks at the files, too. Prints a line for each scenario,
# and exits with 1 at the first that fails. Needs bash, curl, jq.
source "$(dirname "$0")/instance.sh"
BYTES_FILE=${1:-$HERE/A-output-handles-bytes.txt}

start_instance

echo "Scenario 1: default mode shows no envelope"
mcpA '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"'"$SITE"'/1.html"}}}' |
  jq -e '.result.isError == false' >/dev/null || fail "navigate"
RESP=$(mcpA '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_page","arguments":{}}}')
echo "$RESP" | jq -e '.result.content[0].text | fromjson | has("output_handle") | not' >/dev/null \
  && echo OK || { echo "FAIL: default mode unexpectedly returned a handle"; exit 1; }

echo "Scenario 2: output_mode='handle' returns a redeemable descriptor"
RESP=$(mcpA '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"read_page","arguments":{"output_mode":"handle"}}}')
HANDLE=$(echo "$RESP" | jq -r '.result.content[0].text | fromjson | .output_handle')
SIZE=$(echo "$RESP" | jq -r '.result.content[0].text | fromjson | .size_bytes')
PREVIEW_LEN=$(echo "$RESP" | jq -r '.result.content[0].text | fromjson | .preview | length')
[[ "$HANDLE" =~ ^oh_[A-Z0-9]{12}$ ]] || { echo "FAIL: handle format"; exit 1; }
[[ "$SIZE" -gt 0 ]] || { echo "FAIL: size_bytes zero"; exit 1; }
[[ "$PREVIEW_LEN" -le 2048 ]] || { echo "FAIL: preview exceeds 2048 bytes"; exit 1; }
echo "OK handle=$HANDLE size=$SIZE preview_len=$PREVIEW_LEN"

echo "Scenario 3: oc_output_fetch paginates correctly"
mcpA '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"crawl","arguments":{"url":"'"$SITE"'","max_pages":3,"output_mode":"handle"}}}' >"$WORK/crawl.json"
H=$(jq -r '.result.content[0].text | fromjson | .output_handle' "$WORK/crawl.json")
page_of() { # LIMIT OFFSET
  PAGE1=$(mcpA "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"oc_output_fetch\",\"arguments\":{\"output_handle\":\"$H\",\"offset\":$2,\"limit\":$1}}}")
  RETURNED=$(echo "$PAGE1" | jq -r '.result.content[0].text | fromjson | .returned')
  TOTAL=$(echo "$PAGE1" | jq -r '.result.content[0].text | fromjson | .total')
  NEXT=$(echo "$PAGE1" | jq -r '.result.content[0].text | fromjson | .next_offset')
  AT_END=$(echo "$PAGE1" | jq -r '.result.content[0].text | fromjson | .eof')
  [[ "$RETURNED" -le $1 ]] && [[ "$TOTAL" -ge "$RETURNED" ]] && [[ $NEXT == null || $AT_END == false ]] \
    && echo "OK returned=$RETURNED total=$TOTAL next=$NEXT eof=$AT_END" \
    || { echo "FAIL pagination math"; exit 1; }
}
page_of 10 0
page_of 2 0
page_of 2 2

echo "Scenario 4: unknown handle returns a structured error"
RESP=$(mcpA '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"oc_output_fetch","arguments":{"output_handle":"oh_DEADBEEF0000"}}}')
echo "$RESP" | jq -e '.result.isError == true and (.result.content[0].text | fromjson | .error.code == "output_handle_not_found")' >/dev/null \
  && echo OK || { echo "FAIL: missing or malformed not-found error"; exit 1; }

echo "Scenario 5: handle response size"
INLINE_BYTES=$(mcpA '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"crawl","arguments":{"url":"'"$SITE"'/","max_pages":30,"max_depth":30,"output_mode":"inline"}}}' | wc -c)
HANDLE_BODY=$(mcpA '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"crawl","arguments":{"url":"'"$SITE"'/","max_pages":30,"max_depth":30,"output_mode":"handle"}}}')
HANDLE_BYTES=$(echo "$HANDLE_BODY" | wc -c)
echo "inline=$INLINE_BYTES handle=$HANDLE_BYTES"
[[ "$HANDLE_BYTES" -le 4096 ]] || { echo "FAIL: handle response exceeds 4 KB"; exit 1; }
[[ $((10 * HANDLE_BYTES)) -le "$INLINE_BYTES" ]] || { echo "FAIL: ratio above 0.10"; exit 1; }
echo "$HANDLE_BODY" | jq -e '.result.content[0].text | fromjson | .item_count >= 30' >/dev/null || fail "pages are missing"
echo "inline=$INLINE_BYTES handle=$HANDLE_BYTES" >"$BYTES_FILE"
echo OK

echo "Scenario 7: oc_journal records handle creation"
JOURNAL=$(mcpA '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"oc_journal","arguments":{"action":"recent","count":50}}}')
TEXT=$(echo "$JOURNAL" | jq -r '.result.content[0].text')
echo "$TEXT" | jq -e 'if type=="array" then .[] else . end | select(.event=="output_handle_created")' >/dev/null 2>&1 \
  || (echo "$TEXT" | grep -q 'output_handle_created') \
  && echo OK || { echo "FAIL: no output_handle_created event in journal"; exit 1; }
echo "$TEXT" | jq -c 'map(select(.event=="output_handle_created")) | last | keys'

# Last, because the daemon is started anew for it.
echo "Scenario 6: TTL eviction"
start_instance --output-handle-ttl-hours 0 --output-handle-sweep-interval-seconds 2
mcpA '{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"navigate","arguments":{"url":"'"$SITE"'/1.html"}}}' >/dev/null
HANDLE=$(mcpA '{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"read_page","arguments":{"output_mode":"handle"}}}' \
  | jq -r '.result.content[0].text | fromjson | .output_handle')
SECONDS=0
while compgen -G "$OPENCHROME_HOME/output/*/$HANDLE*" >/dev/null; do
  [[ $SECONDS -lt 60 ]] || fail "the files of $HANDLE are still there"
  sleep 0.25
done
RESP=$(mcpA "{\"jsonrpc\":\"2.0\",\"id\":12,\"method\":\"tools/call\",\"params\":{\"name\":\"oc_output_fetch\",\"arguments\":{\"output_handle\":\"$HANDLE\"}}}")
echo "$RESP" | jq -e '.result.isError == true and (.result.content[0].text | fromjson | .error.code == "output_handle_not_found")' >/dev/null \
  && echo OK || { echo "FAIL: handle not evicted after TTL"; exit 1; }

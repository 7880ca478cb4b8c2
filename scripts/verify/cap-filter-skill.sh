#!/usr/bin/env bash
# Scenario 6 of the capability filter: record a skill of three steps with core verbs, or replay it.
#
#   cap-filter-skill.sh record PORT URL   navigate URL, read it, follow "More information…", keep that
#   cap-filter-skill.sh replay PORT       do it again; run the daemon with --tools-only core for this
#
# PORT is that of `ocd start --http`. Prints the outcome contract's verdict; fails on any error.
set -euo pipefail
PORT=$2

call() { # verb, arguments as JSON: prints the JSON that the verb answers
  local answer
  answer=$(jq -n --arg name "$1" --argjson arguments "$2" \
    '{jsonrpc: "2.0", id: 1, method: "tools/call", params: {name: $name, arguments: $arguments}}' |
    curl -s -H 'content-type: application/json' -d @- "http://localhost:$PORT/mcp")
  jq -r '.result.content[0].text' <<<"$answer"
  jq -e '.result.isError != true' <<<"$answer" >/dev/null
}

case $1 in
record)
  call navigate "$(jq -n --arg url "$3" '{url: $url}')" >/dev/null
  call read_page '{}' >/dev/null
  call interact '{"query": "More information…"}' >/dev/null
  call oc_skill_record '{"domain": "example.com", "name": "more information", "last_actions": 3,
    "contract": {"and": [{"kind": "url", "pattern": "more"},
                         {"kind": "dom_text", "contains": "More information"}]}}' |
    jq -e -r 'if (.steps | map(.verb)) == ["navigate", "read_page", "interact"]
              then .recorded_verdict else error("not the three steps") end'
  ;;
replay)
  call oc_skill_replay '{"domain": "example.com", "name": "more information"}' |
    jq -e -r 'if .completed and (.steps | length) == 3 then .verdict else error("not done") end'
  ;;
esac

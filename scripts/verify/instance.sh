# shellcheck shell=bash
# What the verification scripts share: a site, and a daemon with a home of its own; both end with
# the script. `ocd` is the one of this checkout's .venv, or else the first on PATH.
set -uo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[[ -x $HERE/../../.venv/bin/ocd ]] && PATH=$(cd "$HERE/../../.venv/bin" && pwd):$PATH

WORK=$(mktemp -d)
export OPENCHROME_HOME=$WORK/home
coproc SITE_SERVER { exec python3 "$HERE/site.py"; }
read -r SITE_PORT <&"${SITE_SERVER[0]}"
SITE=http://127.0.0.1:$SITE_PORT

end() {
  kill "$SITE_SERVER_PID"
  ocd stop >/dev/null 2>&1
  rm -rf "$WORK"
}
trap end EXIT

fail() {
  echo "FAIL: $*"
  exit 1
}

# start_instance [FLAG…]: a fresh daemon with an HTTP port
start_instance() {
  ocd stop >/dev/null 2>&1
  ocd start --http 0 "$@" >/dev/null 2>&1 || fail "ocd start"
  INSTANCE_A_PORT=$(ocd status --json | jq .mcp.http_port)
}

mcpA() {
  curl -s -H 'content-type: application/json' \
    -d "$1" "http://localhost:$INSTANCE_A_PORT/mcp"
}

#!/usr/bin/env bash
# Stores a fact over REST, finds it through mcporter and the QMD endpoint, and forgets it again.
set -euo pipefail

PREREQUISITES=1 NO_TOKEN=2 NOT_FOUND=3
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
HELMDECK_URL=${HELMDECK_URL:-http://localhost:3000}
OPENCLAW_CONTAINER=${OPENCLAW_CONTAINER:-openclaw-openclaw-gateway-1}
MCPORTER_SERVER_NAME=${MCPORTER_SERVER_NAME:-helmdeck}
MCPORTER_VERSION=0.12.3

usage() {
  cat <<'TEXT'
Usage: scripts/smoke-memory-bridge.sh [--local] [--help]

Run scripts/openclaw-register-qmd.sh first.

  --local      OpenClaw and mcporter run on this machine, not in a container

  HELMDECK_URL           Helmdeck as seen from here          http://localhost:3000
  OPENCLAW_CONTAINER     container of OpenClaw               openclaw-openclaw-gateway-1
  MCPORTER_SERVER_NAME   name of mcporter's entry            helmdeck

Exit codes: 0 found, 1 a prerequisite is missing, 2 OpenClaw has no usable token, 3 the fact was not stored or not found.
TEXT
}

fail() {
  echo "$2" >&2
  exit "$1"
}

# The token is passed on standard input: every user of the machine can read arguments.
helmdeck() {
  local path=$1 body=$2
  printf 'header = "Authorization: %s"\n' "$authorization" |
    curl --silent --show-error --fail-with-body --max-time 10 --config - \
      --header 'Content-Type: application/json' --data "$body" "$HELMDECK_URL/api/v1/memory/$path"
}

local_mode=no
for argument in "$@"; do
  case $argument in
    --local) local_mode=yes ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit "$PREREQUISITES" ;;
  esac
done

command -v curl >/dev/null || fail "$PREREQUISITES" "curl is not installed."
curl --silent --fail --max-time 10 --output /dev/null "$HELMDECK_URL/healthz" ||
  fail "$PREREQUISITES" "Helmdeck does not answer at $HELMDECK_URL. Start it, or set HELMDECK_URL."
if [ "$local_mode" = yes ]; then
  command -v node >/dev/null || fail "$PREREQUISITES" "node is not installed."
  in_openclaw() { command "$@"; }
else
  command -v docker >/dev/null || fail "$PREREQUISITES" "docker is not installed. For an OpenClaw on this machine: --local"
  [ "$(docker inspect --format '{{.State.Running}}' "$OPENCLAW_CONTAINER" 2>/dev/null)" = true ] ||
    fail "$PREREQUISITES" "The container $OPENCLAW_CONTAINER is not running. Start OpenClaw, set OPENCLAW_CONTAINER, or use --local."
  in_openclaw() { docker exec -i "$OPENCLAW_CONTAINER" "$@"; }
fi

authorization=$(in_openclaw node --input-type=module - token <"$HERE/openclaw-bridge.js") || exit "$NO_TOKEN"
marker="marker$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n')"

forget() { helmdeck forget "{\"scope\":\"key:smoke/$marker\"}" >/dev/null; }
trap 'forget || true' EXIT

helmdeck store "{\"key\":\"smoke/$marker\",\"value\":\"$marker\",\"category\":\"smoke_test\",\"ttl_seconds\":3600}" >/dev/null ||
  fail "$NOT_FOUND" "The fact was not stored."
echo "stored smoke/$marker"

run_mcporter() {
  if in_openclaw sh -c 'command -v mcporter' >/dev/null 2>&1 </dev/null; then in_openclaw mcporter "$@" </dev/null
  else in_openclaw npx --yes "mcporter@$MCPORTER_VERSION" "$@" </dev/null; fi
}
query="{\"searches\":[{\"type\":\"lex\",\"query\":\"$marker\"}],\"limit\":5}"
result=$(run_mcporter call "$MCPORTER_SERVER_NAME.query" --args "$query" --output json --timeout 8000) ||
  fail "$NOT_FOUND" "mcporter could not call $MCPORTER_SERVER_NAME.query. Run scripts/openclaw-register-qmd.sh, then this again."
case $result in
  *"facts/smoke/$marker"*) echo "found it through mcporter and the QMD endpoint" ;;
  *) fail "$NOT_FOUND" "The bridge responds, but does not find the fact: mcporter's token belongs to another subject, or its URL to another server." ;;
esac

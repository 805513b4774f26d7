#!/usr/bin/env bash
# Registers Helmdeck's QMD endpoint with mcporter, using the token that OpenClaw already has for Helmdeck.
set -euo pipefail

PREREQUISITES=1
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
OPENCLAW_CONTAINER=${OPENCLAW_CONTAINER:-openclaw-openclaw-gateway-1}
MCPORTER_SERVER_NAME=${MCPORTER_SERVER_NAME:-helmdeck}

usage() {
  cat <<'TEXT'
Usage: scripts/openclaw-register-qmd.sh [--local] [--dry-run] [--help]

Reads the token under mcp.servers.helmdeck in OpenClaw's openclaw.json and writes an entry to mcporter's own
configuration. Run it again after the token was rotated. OpenClaw's configuration is only read.

  --local      OpenClaw and mcporter run on this machine, not in a container
  --dry-run    print what would change, and change nothing

  OPENCLAW_CONTAINER     container of OpenClaw               openclaw-openclaw-gateway-1
  HELMDECK_QMD_URL       URL as seen from there              http://helmdeck-control-plane:3000/api/v1/mcp/qmd/sse
                         with --local                        http://127.0.0.1:3000/api/v1/mcp/qmd/sse
  MCPORTER_SERVER_NAME   name of mcporter's entry            helmdeck

Exit codes: 0 done, 1 a prerequisite is missing, 2 OpenClaw has no usable token, 3 mcporter's file was not written.

This serves mcporter and other clients of QMD. It does not add facts to OpenClaw's memory_search: the plugin
openclaw-helmdeck-memory does (docs/howto/openclaw.md).
TEXT
}

fail() {
  echo "$2" >&2
  exit "$1"
}

local_mode=no
dry_run=()
for argument in "$@"; do
  case $argument in
    --local) local_mode=yes ;;
    --dry-run) dry_run=(--dry-run) ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit "$PREREQUISITES" ;;
  esac
done

if [ "$local_mode" = yes ]; then
  command -v node >/dev/null || fail "$PREREQUISITES" "node is not installed."
  url=${HELMDECK_QMD_URL:-http://127.0.0.1:3000/api/v1/mcp/qmd/sse}
  in_openclaw() { node --input-type=module - "$@"; }
else
  command -v docker >/dev/null || fail "$PREREQUISITES" "docker is not installed. For an OpenClaw on this machine: --local"
  [ "$(docker inspect --format '{{.State.Running}}' "$OPENCLAW_CONTAINER" 2>/dev/null)" = true ] ||
    fail "$PREREQUISITES" "The container $OPENCLAW_CONTAINER is not running. Start OpenClaw, set OPENCLAW_CONTAINER, or use --local."
  url=${HELMDECK_QMD_URL:-http://helmdeck-control-plane:3000/api/v1/mcp/qmd/sse}
  in_openclaw() { docker exec -i "$OPENCLAW_CONTAINER" node --input-type=module - "$@"; }
fi

in_openclaw register "$MCPORTER_SERVER_NAME" "$url" "${dry_run[@]}" <"$HERE/openclaw-bridge.js"
echo "Try it: mcporter call $MCPORTER_SERVER_NAME.query query=konflux"

#!/usr/bin/env bash
# Installs Helmdeck with Docker Compose on this machine: checks, secrets, image, start, health check, next steps.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
COMPOSE_DIR="$ROOT/deploy/compose"
SECRETS="$COMPOSE_DIR/.env.local" # what the server reads
CHOICES="$COMPOSE_DIR/.env"       # what Compose reads: overlays, and the secrets of other containers
CONTAINER=helmdeck-control-plane
OPENCLAW_CONTAINER=${OPENCLAW_CONTAINER:-openclaw-openclaw-gateway-1}
HEALTH_SECONDS=${HELMDECK_INSTALL_WAIT:-90}

USAGE=1 PREREQUISITES=2 BUILD=3 START=4

usage() {
  cat <<'TEXT'
Usage: scripts/install.sh [options]

Builds the image, creates secrets on the first run, starts Helmdeck and waits until it is healthy.
Run it again at any time: it keeps the secrets, the data and the choices of the first run.

  --no-embeddings   search by words only, without the Ollama container (about 2 GB)
  --with <overlay>  add postgres, redis or garage (repeatable; remembered)
  --no-build        use an existing image, or pull HELMDECK_IMAGE, instead of building one
  --reset           DELETE all data and secrets first, and start over
  --smoke           store, find and forget a fact at the end
  -h, --help        this text

Exit codes: 0 done, 1 wrong usage, 2 a prerequisite is missing, 3 the image could not be built or pulled,
4 it did not start or is not healthy.
TEXT
}

say() { printf '%s\n' "$*"; }
step() { printf '\n— %s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die() {
  local code=$1
  shift
  printf 'install.sh: %s\n' "$1" >&2
  shift
  for hint in "$@"; do printf '  %s\n' "$hint" >&2; done
  exit "$code"
}

embeddings=default build=yes reset=no smoke=no
overlays=()
while [ $# -gt 0 ]; do
  case $1 in
    --no-embeddings) embeddings=no ;;
    --no-build) build=no ;;
    --reset) reset=yes ;;
    --smoke) smoke=yes ;;
    --with)
      case ${2:-} in
        postgres | redis | garage) overlays+=("$2") ;;
        *) die $USAGE "--with takes postgres, redis or garage." ;;
      esac
      shift
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) die $USAGE "unknown option $1" "scripts/install.sh --help lists the options." ;;
  esac
  shift
done
chosen() { case " ${overlays[*]-} " in *" $1 "*) return 0 ;; *) return 1 ;; esac }
if chosen postgres && chosen redis; then die $USAGE "postgres and redis are both databases; choose one."; fi

# --- prerequisites ------------------------------------------------------------------------------------------------

compose=()
preflight() {
  command -v docker >/dev/null 2>&1 || die $PREREQUISITES "docker is not installed." \
    "Install Docker Engine: https://docs.docker.com/engine/install/" \
    "Without Docker, Helmdeck runs as a plain program: npm run up"
  local start="Start it: systemctl start docker"
  [ "$(id -u)" -eq 0 ] ||
    start="Start it (sudo systemctl start docker), or join its group: sudo usermod -aG docker $(id -un)"
  docker info >/dev/null 2>&1 || die $PREREQUISITES "the Docker daemon does not respond." "$start"
  if docker compose version >/dev/null 2>&1; then
    compose=(docker compose)
  elif command -v docker-compose >/dev/null 2>&1; then
    compose=(docker-compose)
  else
    die $PREREQUISITES "Docker Compose is missing." \
      "Install the plugin: https://docs.docker.com/compose/install/linux/"
  fi
  [ -w "$COMPOSE_DIR" ] || die $PREREQUISITES "$COMPOSE_DIR cannot be written." "Secrets are stored there."
  local free_kb
  free_kb=$(df -Pk "$ROOT" | awk 'NR == 2 { print $4 }')
  [ "${free_kb:-0}" -ge 4000000 ] || warn "less than 4 GB of disk space is free; images and the model may not fit."
}

# --- secrets and choices ------------------------------------------------------------------------------------------

random_hex() {
  if command -v openssl >/dev/null 2>&1; then
    openssl rand -hex "$1"
  else
    od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'
    echo
  fi
}

# Adds a line unless the variable exists: a secret is never replaced, because data depends on it.
keep_or_add() {
  grep -q "^$2=" "$1" 2>/dev/null || printf '%s=%s\n' "$2" "$3" >>"$1"
}

private_file() {
  [ -e "$1" ] || (umask 077 && : >"$1")
  chmod 600 "$1"
}

write_secrets() {
  private_file "$SECRETS"
  keep_or_add "$SECRETS" HELMDECK_MEMORY_KEY "$(random_hex 32)"
  keep_or_add "$SECRETS" HELMDECK_VAULT_KEY "$(random_hex 32)"
  keep_or_add "$SECRETS" HELMDECK_JWT_SECRET "$(random_hex 32)"
  keep_or_add "$SECRETS" HELMDECK_ADMIN_USERNAME admin
  keep_or_add "$SECRETS" HELMDECK_ADMIN_PASSWORD "$(random_hex 12)"
  keep_or_add "$SECRETS" HELMDECK_METRICS_TOKEN "$(random_hex 24)"
}

remembers() { grep -q "^COMPOSE_FILE=.*compose\.$1\.yml" "$CHOICES" 2>/dev/null; }
wants() {
  chosen "$1" && return 0
  # The other database was chosen now, so the remembered one is omitted.
  if [ "$1" = postgres ] && chosen redis; then return 1; fi
  if [ "$1" = redis ] && chosen postgres; then return 1; fi
  remembers "$1"
}

write_choices() {
  local files=compose.yaml
  if [ "$embeddings" = default ] && { ! grep -q '^COMPOSE_FILE=' "$CHOICES" 2>/dev/null || remembers embeddings; }; then
    files="$files:compose.embeddings.yml"
  fi
  private_file "$CHOICES"
  local overlay
  for overlay in postgres redis garage; do
    if wants "$overlay"; then files="$files:compose.$overlay.yml"; fi
  done
  case $files in *postgres*) keep_or_add "$CHOICES" POSTGRES_PASSWORD "$(random_hex 24)" ;; esac
  case $files in *redis*) keep_or_add "$CHOICES" REDIS_PASSWORD "$(random_hex 24)" ;; esac
  case $files in
    *garage*)
      keep_or_add "$CHOICES" GARAGE_ACCESS_KEY "GK$(random_hex 16)"
      keep_or_add "$CHOICES" GARAGE_SECRET_KEY "$(random_hex 32)"
      keep_or_add "$CHOICES" GARAGE_RPC_SECRET "$(random_hex 32)"
      ;;
  esac
  keep_or_add "$CHOICES" COMPOSE_PROJECT_NAME helmdeck
  local rest
  rest=$(grep -v '^COMPOSE_FILE=' "$CHOICES" || true)
  printf '%s\nCOMPOSE_FILE=%s\n' "$rest" "$files" >"$CHOICES"
  say "Using $files"
}

# Compose reads .env in its folder: project name, files and passwords.
in_compose() { (cd "$COMPOSE_DIR" && "${compose[@]}" "$@"); }

reset_all() {
  [ -e "$CHOICES" ] || [ -e "$SECRETS" ] || return 0
  if [ -t 0 ]; then
    printf 'This deletes all facts, tokens and keys of this installation. Type "reset" to continue: '
    local answer
    read -r answer
    [ "$answer" = reset ] || die $USAGE "nothing was deleted."
  fi
  private_file "$SECRETS"
  private_file "$CHOICES"
  in_compose down --volumes --remove-orphans || die $START "the old containers could not be removed." \
    "docker ps -a shows what is left. Secrets were kept."
  rm -f "$SECRETS" "$CHOICES"
}

# --- image, start, health -----------------------------------------------------------------------------------------

get_image() {
  if [ "$build" = yes ]; then
    in_compose build "$CONTAINER" || die $BUILD "the image could not be built." \
      "The messages above say where. Behind a proxy set HTTPS_PROXY; to use a ready image: --no-build."
  elif ! docker image inspect "${HELMDECK_IMAGE:-helmdeck}:${HELMDECK_VERSION:-latest}" >/dev/null 2>&1; then
    in_compose pull "$CONTAINER" || die $BUILD "there is no such image here, and it could not be pulled." \
      "Set HELMDECK_IMAGE and HELMDECK_VERSION, or build it: omit --no-build."
  fi
}

start() {
  in_compose up -d --no-build --remove-orphans || die $START "the containers did not start." \
    "Is the port taken? HELMDECK_PUBLISH=127.0.0.1:3001 scripts/install.sh uses another one." \
    "Logs: (cd deploy/compose && ${compose[*]} logs)"
}

wait_until_healthy() {
  local waited=0 state=
  while [ "$waited" -lt "$HEALTH_SECONDS" ]; do
    state=$(docker inspect -f '{{.State.Health.Status}}' "$CONTAINER" 2>/dev/null || true)
    [ "$state" = healthy ] && return 0
    sleep 1
    waited=$((waited + 1))
  done
  die $START "Helmdeck is not healthy after $HEALTH_SECONDS seconds (${state:-no container})." \
    "Its log: docker logs $CONTAINER" "Diagnosis: docker exec $CONTAINER helmdeck doctor"
}

# --- after the start ----------------------------------------------------------------------------------------------

register_openclaw() {
  local script="$ROOT/scripts/openclaw-register-qmd.sh"
  [ "${OPENCLAW_QMD_ENABLED:-true}" != false ] || return 0
  [ -x "$script" ] || return 0
  [ -n "$(docker ps --quiet --filter "name=^/?${OPENCLAW_CONTAINER}\$" 2>/dev/null)" ] || return 0
  step "registering the QMD bridge with OpenClaw"
  OPENCLAW_CONTAINER=$OPENCLAW_CONTAINER "$script" ||
    warn "the bridge could not be registered; Helmdeck runs without it. Try again: scripts/openclaw-register-qmd.sh"
}

# Stores, finds and forgets a fact from inside the container.
smoke_test() {
  local key
  key="smoke/$(random_hex 6)"
  if inside remember "$key" "the smoke test was here" --ttl 1h >/dev/null &&
    [[ $(inside get "$key") == *"smoke test was here"* ]] &&
    [[ $(inside recall smoke test --limit 5) == *"$key"* ]] &&
    inside forget "key:$key" >/dev/null; then
    say "A fact was stored, found and forgotten."
  else
    die $START "the smoke test failed: a fact could not be stored, found and forgotten." \
      "docker exec $CONTAINER helmdeck doctor"
  fi
}

inside() { docker exec "$CONTAINER" helmdeck "$@"; }

summary() {
  say "
Helmdeck runs at http://${HELMDECK_PUBLISH:-127.0.0.1:3000}
  sign in      user $(grep '^HELMDECK_ADMIN_USERNAME=' "$SECRETS" | cut -d= -f2), password HELMDECK_ADMIN_PASSWORD in $SECRETS
  a token      docker exec $CONTAINER helmdeck token mint --name my-agent
  containers   http://$CONTAINER:3000 on the network baas-net
  diagnosis    docker exec $CONTAINER helmdeck doctor
Back up $SECRETS separately from the data: without it nothing stored can be read."
}

step "checking this machine"
preflight
if [ "$reset" = yes ]; then
  step "deleting the old installation"
  reset_all
fi
step "secrets and choices"
write_secrets
write_choices
step "image"
get_image
step "starting"
start
wait_until_healthy
register_openclaw
if [ "$smoke" = yes ]; then
  step "smoke test"
  smoke_test
fi
summary

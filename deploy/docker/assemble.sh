#!/bin/sh
# Assembles the contents of the image in a folder: the published package, installed with the clients of its back-ends.
# Run it in a built repository: sh deploy/docker/assemble.sh /app
set -eu

target=${1:?usage: assemble.sh <folder>}
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$target"

# Built already, so the package's own build step is left out.
tarball=$(cd "$root/packages/helmdeck" && npm pack --ignore-scripts --silent --pack-destination "$target")

# The versions that the lock file has, which the tests ran with.
client() {
  printf '%s@%s' "$1" "$(node -p "require('$root/package.json').devDependencies['$1']")"
}
cd "$target"
printf '{ "private": true }\n' > package.json
npm install --omit=dev --ignore-scripts --no-audit --no-fund --no-package-lock --prefer-offline --loglevel=error \
  "./$tarball" "$(client postgres)" "$(client @redis/client)" "$(client aws4fetch)"
rm "$tarball"
cp "$root/deploy/docker/healthcheck.mjs" .

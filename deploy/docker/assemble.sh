#!/bin/sh
# Assembles the contents of the image in a folder: the published package, installed with the clients of its back-ends.
# Run it in a built repository: sh deploy/docker/assemble.sh /app
set -eu

target=${1:?usage: assemble.sh <folder>}
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$target"

# Built already, so the package's own build step is left out.
tarball=$(cd "$root/packages/helmdeck" && npm pack --ignore-scripts --silent --pack-destination "$target")

node "$root/deploy/docker/write-lock.mjs" "$target" "$tarball" postgres @redis/client aws4fetch
cd "$target"
npm ci --omit=dev --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
rm "$tarball"
cp "$root/deploy/docker/healthcheck.mjs" .

#!/usr/bin/env bash
# The one place that sets up: from a clean clone on a fresh machine to a running job.
#   with-setup.sh unit|demo|test|gallery|bench|kills [arguments of the job]
# It starts on whatever Node and npm the machine has and goes on with the Node of node_modules. `unit` needs the
# dependencies only; the others also system packages, both engines and the test images. Run again, it finds all of it
# there. Engines that it started itself it stops at the end, also on Ctrl-C, unless another job still uses them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
job=${1:-}
shift || true

case $job in
  unit) command=(node_modules/.bin/vitest run --project unit) ;;
  demo) command=(node scripts/demo.ts) ;;
  test) command=(node scripts/test.ts) ;;
  gallery) command=(node_modules/.bin/vitest run --project gallery) ;;
  bench) command=(node scripts/bench.ts) ;;
  kills) command=(env "LFQ_KILLS=${LFQ_KILLS:-50}" node_modules/.bin/vitest run --project engine harness/cli/hard-kills) ;;
  *) echo 'usage: with-setup.sh unit|demo|test|gallery|bench|kills [arguments]' >&2; exit 64 ;;
esac

say() { echo "setup: $*" >&2; }

# lock FD FILE shared|exclusive: waits, and says so where it has to.
lock() {
  eval "exec $1>>\"\$2\""
  flock -n "--$3" "$1" && return
  say "waiting for another run of this repository's scripts ($2)"
  flock "--$3" "$1"
}

finish() {
  local code=$?
  trap - EXIT
  if [[ ${engines_dir:-} ]]; then
    exec 7>&-
    bash scripts/engines.sh down --transient 6>&- || true
  fi
  exit "$code"
}

# npm itself must not run on the Node that it is about to replace.
npm_ci() {
  local path=${PATH//"$root/node_modules/.bin:"/}
  PATH=$path npm ci --no-audit --no-fund </dev/null >&2
}
dependencies_are_there() {
  [[ -x node_modules/.bin/node && -f node_modules/.package-lock.json && ! package-lock.json -nt node_modules/.package-lock.json ]]
}

dependencies() {
  mkdir -p .cache
  # Whoever uses node_modules holds the lock shared, so that nobody replaces it under a running job.
  until lock 6 .cache/dependencies.lock shared && dependencies_are_there; do
    lock 6 .cache/dependencies.lock exclusive
    if ! dependencies_are_there; then
      say 'installing the dependencies: npm ci'
      npm_ci || { say 'npm ci failed'; exit 69; }
      touch node_modules/.package-lock.json
    fi
  done
  export PATH="$root/node_modules/.bin:$PATH"
}

engines() {
  bash scripts/packages.sh "$job" 6>&-
  engines_dir=$(bash scripts/engines.sh dir)
  lock 7 "$engines_dir/in-use.lock" shared
  local facts
  facts=$(bash scripts/engines.sh up --transient 6>&- 7>&-) || exit 70
  local conf
  conf=$(sed -n 's/^CONTAINERS_CONF=//p' <<<"$facts")
  if [[ $conf ]]; then export CONTAINERS_CONF=$conf; fi
}

images() {
  # The usual ones are all but the gallery, of which a sample is among them.
  local names=()
  if [[ $job == gallery ]]; then names=(helper gallery cases); fi
  # One build at a time on a machine: all of them load into the same engines under the same tags.
  lock 5 "$engines_dir/images.lock" exclusive
  npm run --silent images -- "${names[@]}" </dev/null 5>&- 6>&- 7>&- >&2 || { say 'npm run images failed'; exit 70; }
  exec 5>&-
}

# The job gets a process group of its own, so that a signal to this script reaches it exactly once, and what is left of
# it when it ends dies with it. The locks are not for it: a stray child would hold them for ever.
run() {
  set -m
  "${command[@]}" "$@" </dev/null 5>&- 6>&- 7>&- &
  local child=$! code=0
  set +m
  trap 'kill -INT -- "-$child" 2>/dev/null || true' INT
  trap 'kill -TERM -- "-$child" 2>/dev/null || true' TERM HUP
  while kill -0 "$child" 2>/dev/null; do wait "$child" || true; done
  wait "$child" || code=$?
  kill -TERM -- "-$child" 2>/dev/null || true
  trap - INT TERM HUP
  return "$code"
}

trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
dependencies
if [[ $job != unit ]]; then
  engines
  images
fi
run "$@"

#!/usr/bin/env bash
# What the first clause set does to one image on both engines, by curl through the engines' APIs, one container after
# another: the same containers, the same holds. It judges nothing. For `npm run bench`.
#   sequential.sh IMAGE
set -euo pipefail
image=${1:?usage: sequential.sh IMAGE}
helper=lf-qualify/helper:dev
label='"Labels":{"io.lf-qualify.bench":"1"}'
body=$(mktemp)
trap 'rm -f "$body"' EXIT

api() { curl -sS --max-time 30 --unix-socket "$sock" "$@"; }
field() { grep -o "\"$1\":[^,}]*" <<<"$2" | head -1 | cut -d: -f2- | tr -d '" '; }

# start IMAGE CMD-JSON: sets id and address
start() {
  local made
  made=$(api -H 'Content-Type: application/json' -d "{\"Image\":\"$1\",$2\"HostConfig\":{\"NetworkMode\":\"$network\"},$label}" http://e/containers/create)
  id=$(field Id "$made")
  api -o /dev/null -X POST "http://e/containers/$id/start"
  address=$(api "http://e/containers/$id/json" | grep -o '"IPAddress":"[0-9.]*"' | cut -d'"' -f4 | grep . | tail -1 || true)
}
ready() { until curl -s -o /dev/null --max-time 1 "http://$address:8080/health"; do sleep 0.005; done; }
signal() { api -o /dev/null -X POST "http://e/containers/$id/kill?signal=$1"; }
ended() { until [[ $(field Running "$(api "http://e/containers/$id/json")") == false ]]; do sleep 0.02; done; }
gone() { api -o /dev/null "http://e/containers/$id/logs?stdout=1&stderr=1"; api -o /dev/null -X DELETE "http://e/containers/$id?force=1"; }
# a request whose body never ends, proven held for 250 ms after a complete one was answered
hold() {
  curl -s -o /dev/null --max-time 5 -d x "http://$address:8080/"
  exec 9<>"/dev/tcp/$address/8080"
  printf 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nx' >&9
  sleep 0.25
}
release() { exec 9>&-; }

for sock in /var/run/docker.sock /run/podman/podman.sock; do
  network=lfq-bench-$$
  api -o /dev/null -H 'Content-Type: application/json' -d "{\"Name\":\"$network\",\"Internal\":true}" http://e/networks/create
  start "$helper" '"Cmd":["hold"],'; keeper=$id
  start "$helper" '"Cmd":["exit","7"],'; ended; gone
  start "$helper" '"Cmd":["wait"],'; signal KILL; ended; gone
  start "$helper" '"Cmd":["exact","250","0"],'; signal TERM; ended; gone
  for name in TERM INT; do start "$image" ''; ready; ready; signal $name; ended; gone; done
  for _ in default given; do start "$image" ''; ready; ready; api -o /dev/null -X POST "http://e/containers/$id/stop?t=10"; ended; gone; done
  start "$image" ''; ready; ready; hold; signal TERM; sleep 0.1; signal INT; ended; release; gone
  start "$image" ''; ready; signal TERM; ended; gone
  start "$image" ''; ready; ready; for _ in $(seq 14); do curl -s -o /dev/null "http://$address:8080/health"; sleep 0.25; done; gone
  start "$image" ''; ready; ready; hold; signal TERM; ended; release; gone
  id=$keeper; gone
  api -o /dev/null -X DELETE "http://e/networks/$network"
done

#!/usr/bin/env bash
# Brings up Docker and Podman for the tests and takes down again what it started itself, never anything else.
#   engines.sh up [--transient]     start what does not answer; prints NAME=value lines for the environment
#   engines.sh down [--transient]   stop what `up` started; --transient: only what no running job uses any more
#   engines.sh status               which sockets answer; exit 1 when one does not
# Its state (pids, logs, configuration, locks) lives in $LFQ_ENGINES_DIR.
# Where systemd runs, it is asked. Else the daemons are started here, which takes root. Run by root it starts a rootless
# Podman too (rootless-podman.sh), where the packages for it are there; a failure of that one is only told.
set -euo pipefail

uid=$(id -u)
if ((uid == 0)); then default_dir=/run/lf-qualify-engines; else default_dir=${XDG_RUNTIME_DIR:-/tmp/lf-qualify-$uid}/lf-qualify-engines; fi
dir=${LFQ_ENGINES_DIR:-$default_dir}
mkdir -p "$dir"

unix_socket() { case $1 in unix://*) echo "${1#unix://}" ;; *) echo "$2" ;; esac; }
docker_sock=$(unix_socket "${DOCKER_HOST:-}" /var/run/docker.sock)
podman_default=/run/podman/podman.sock
((uid == 0)) || podman_default=${XDG_RUNTIME_DIR:-/run/user/$uid}/podman/podman.sock
podman_sock=$(unix_socket "${CONTAINER_HOST:-}" "$podman_default")

say() { echo "engines: $*" >&2; }
answers() { curl -sf --max-time 3 --unix-socket "$1" http://engine/_ping >/dev/null 2>&1; }
wait_for() {
  local _
  for _ in $(seq 150); do answers "$1" && return 0; sleep 0.1; done
  return 1
}
has_systemd() { [[ -d /run/systemd/system ]]; }
as_root() { if ((uid == 0)); then "$@"; else sudo -n "$@"; fi; }

# After a hard kill the pid files stay, and where nobody reaps, zombies too: the daemons then refuse to start.
drop_stale_pid() {
  local pid
  pid=$(cat "$1" 2>/dev/null) || return 0
  grep -qsE '^State:[[:space:]]+[^ZX[:space:]]' "/proc/$pid/status" || rm -f "$1"
}

# Podman's defaults do not suit every machine: without CAP_SYS_RESOURCE rlimits cannot be raised to them, and crun
# refuses cgroups v1 in hybrid mode, which runc accepts. Only what the machine needs is written.
podman_conf() {
  local caps conf='' nofile nproc
  caps=$(awk '/^CapEff/ { print $2 }' /proc/self/status)
  if ((uid == 0)) && ! ((0x$caps >> 24 & 1)); then
    nofile=$(ulimit -Hn) nproc=$(ulimit -Hu)
    [[ $nofile != unlimited && $nofile -le 20000 ]] || nofile=20000
    [[ $nproc != unlimited && $nproc -le 32768 ]] || nproc=32768
    conf+="[containers]"$'\n'"default_ulimits = [\"nofile=$nofile:$nofile\", \"nproc=$nproc:$nproc\"]"$'\n'
  fi
  if [[ ! -f /sys/fs/cgroup/cgroup.controllers ]] && command -v runc >/dev/null; then
    conf+="[engine]"$'\n'"runtime = \"runc\""$'\n'
  fi
  [[ -z $conf ]] || printf '%s' "$conf" >"$dir/containers.conf"
}

# started NAME HOW: remembers that this script started NAME, for `down`.
started() {
  echo "$2" >"$dir/$1.started"
  if [[ ${transient:-} ]]; then touch "$dir/$1.transient"; else rm -f "$dir/$1.transient"; fi
}

start_docker() {
  if has_systemd; then
    say 'starting docker through systemd'
    as_root systemctl start docker && started docker 'systemd docker docker.socket'
  elif ((uid == 0)); then
    say "starting dockerd, its log is $dir/docker.log"
    drop_stale_pid /var/run/docker.pid
    drop_stale_pid /var/run/docker/containerd/containerd.pid
    setsid dockerd -H "unix://$docker_sock" >"$dir/docker.log" 2>&1 </dev/null &
    started docker "pid $!"
  else
    say 'docker does not answer, and starting dockerd takes root: start it, or run this as root'
    return 1
  fi
}

start_podman() {
  if has_systemd && [[ ! -f $dir/containers.conf ]]; then
    say 'starting the API socket of podman through systemd'
    if ((uid == 0)); then systemctl start podman.socket && started podman 'systemd podman.socket podman.service'
    else systemctl --user start podman.socket && started podman 'systemd --user podman.socket podman.service'; fi
  else
    say "starting podman system service, its log is $dir/podman.log"
    mkdir -p "$(dirname "$podman_sock")"
    # conmon leaves files in the working directory of the service.
    (cd "$dir" && exec setsid podman system service --time=0 "unix://$podman_sock") >"$dir/podman.log" 2>&1 </dev/null &
    started podman "pid $!"
  fi
}

rootless_script=$(dirname "${BASH_SOURCE[0]}")/rootless-podman.sh
up_rootless() {
  ((uid == 0)) && command -v slirp4netns >/dev/null && command -v newuidmap >/dev/null || return 0
  local sock pid
  sock=$(bash "$rootless_script" socket) || sock=''
  if [[ -z $sock ]] || ! answers "$sock"; then
    bash "$rootless_script" stop
    say "starting a rootless podman system service, its log is $dir/rootless.log"
    pid=$(bash "$rootless_script" start "$dir" 8>&-) && started rootless "rootless $pid"
    sock=$(bash "$rootless_script" socket)
    wait_for "$sock" || { say "rootless podman does not answer at $sock; see $dir/rootless.log"; return 0; }
  fi
  echo "ROOTLESS_SOCK=unix://$sock"
}

# Docker's FORWARD policy drops what passes Podman's bridges too where bridges are filtered: containers of a Podman
# network without a way out could not talk to each other.
bridge_filter=/proc/sys/net/bridge/bridge-nf-call-iptables
unfilter_bridges() {
  ((uid == 0)) && [[ $(cat $bridge_filter 2>/dev/null) == 1 ]] || return 0
  say "switching $bridge_filter off"
  echo 0 >$bridge_filter && echo 1 >"$dir/bridge-filter"
}
restore_bridges() {
  [[ -s $dir/bridge-filter ]] || return 0
  cat "$dir/bridge-filter" >$bridge_filter 2>/dev/null || true
  rm -f "$dir/bridge-filter"
}

up() {
  exec 8>"$dir/up.lock"
  flock 8
  podman_conf
  if [[ -z ${CONTAINERS_CONF:-} && -f $dir/containers.conf ]]; then export CONTAINERS_CONF=$dir/containers.conf; fi
  local name sock failed=''
  for name in docker podman; do
    sock=${name}_sock
    if ! answers "${!sock}"; then
      # The lock must not live on in the daemon.
      if ! "start_$name" 8>&- || ! wait_for "${!sock}"; then
        tail -20 "$dir/$name.log" >&2 2>/dev/null || true
        say "$name does not answer at ${!sock}"
        failed=1
        continue
      fi
    fi
    echo "${name^^}_SOCK=unix://${!sock}"
  done
  up_rootless
  unfilter_bridges
  if [[ -n ${CONTAINERS_CONF:-} ]]; then echo "CONTAINERS_CONF=$CONTAINERS_CONF"; fi
  [[ -z $failed ]]
}

stop() {
  local name=$1 how _
  read -ra how <"$dir/$name.started"
  case ${how[0]} in
    rootless) bash "$rootless_script" stop ;;
    systemd)
      if [[ ${how[1]} == --user ]]; then systemctl --user stop "${how[@]:2}"; else as_root systemctl stop "${how[@]:1}"; fi ;;
    pid)
      # The number may belong to somebody else by now.
      if grep -qsE '^(dockerd|podman)$' "/proc/${how[1]}/comm"; then
        kill -TERM "${how[1]}" 2>/dev/null || true
        for _ in $(seq 150); do kill -0 "${how[1]}" 2>/dev/null || break; sleep 0.1; done
      fi ;;
  esac
  rm -f "$dir/$name.started" "$dir/$name.transient"
}

down() {
  # Jobs hold this lock shared while they use the engines: the last one out stops them.
  exec 9>"$dir/in-use.lock"
  if [[ ${transient:-} ]]; then flock -n 9 || return 0; fi
  local name
  for name in rootless podman docker; do
    [[ -s $dir/$name.started ]] || continue
    if [[ ${transient:-} && ! -e $dir/$name.transient ]]; then continue; fi
    say "stopping $name"
    stop "$name"
  done
  [[ -s $dir/docker.started || -s $dir/podman.started ]] || restore_bridges
}

status() {
  local sock rc=0
  for sock in "$docker_sock" "$podman_sock"; do
    if answers "$sock"; then echo "$sock answers"; else echo "$sock does not answer"; rc=1; fi
  done
  return $rc
}

transient=''
[[ ${2:-} != --transient ]] || transient=1
case ${1:-} in
  up | down | status) "$1" ;;
  dir) echo "$dir" ;;
  *) echo 'usage: engines.sh up [--transient] | down [--transient] | status | dir' >&2; exit 64 ;;
esac

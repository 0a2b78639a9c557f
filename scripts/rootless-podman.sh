#!/usr/bin/env bash
# A rootless Podman service of a system user made for it, for tests that are run by root: the engine that most users have.
#   rootless-podman.sh start DIR   make the user, start the service; its configuration and log are in DIR; prints its pid
#   rootless-podman.sh stop        end everything that the user runs, and remove the user with all that is its
#   rootless-podman.sh socket      where it listens; exit 1 when there is no such user
# Root may use the socket too.
set -euo pipefail

user=lfq-rootless
# Not under /var/lib: Podman hides that folder in the network namespace of its containers, and with it their networks.
home=/home/$user
first_id=400000

runtime() { echo "/run/user/$(id -u $user)"; }

# A device of every user on machines where udev runs; slirp4netns opens it as the user.
open_tun() {
  [[ -c /dev/net/tun ]] || return 0
  setpriv --reuid="$(id -u $user)" --clear-groups test -r /dev/net/tun -a -w /dev/net/tun || chmod 0666 /dev/net/tun
}

configure() {
  local conf=$1/rootless.conf
  {
    # Without systemd for the user there is no cgroup manager and no journal to ask.
    printf '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n'
    # crun refuses cgroups v1 in hybrid mode.
    if [[ ! -f /sys/fs/cgroup/cgroup.controllers ]] && command -v runc >/dev/null; then echo 'runtime = "runc"'; fi
  } >"$conf"
  chmod 0755 "$1"
  chmod 0644 "$conf"
}

start() {
  local dir=$1 run
  if ! id $user >/dev/null 2>&1; then
    useradd --system --create-home --home-dir $home --shell /bin/sh $user >&2
    usermod --add-subuids $first_id-$((first_id + 65535)) --add-subgids $first_id-$((first_id + 65535)) $user >&2
  fi
  run=$(runtime)
  mkdir -p /run/user
  install -d -m 0700 -o $user -g "$(id -g $user)" "$run" "$run/podman"
  open_tun
  configure "$dir"
  cd $home
  # Podman refuses a runtime folder or a home of somebody else, so the environment is made anew.
  setsid setpriv --reuid="$(id -u $user)" --regid="$(id -g $user)" --init-groups \
    env -i HOME=$home USER=$user PATH="$PATH" XDG_RUNTIME_DIR="$run" CONTAINERS_CONF="$dir/rootless.conf" STORAGE_DRIVER=overlay \
    podman system service --time=0 "unix://$run/podman/podman.sock" >"$dir/rootless.log" 2>&1 </dev/null &
  echo $!
}

stop() {
  local pid run _
  id $user >/dev/null 2>&1 || return 0
  run=$(runtime)
  # Containers, their monitors and the network's processes go with the service: the user was made for them.
  for _ in $(seq 50); do
    # A zombie that nobody reaps holds nothing any more.
    mapfile -t pids < <(ps -o pid=,stat= -u $user | awk '$2 !~ /^Z/ { print $1 }')
    ((${#pids[@]})) || break
    for pid in "${pids[@]}"; do kill -KILL "$pid" 2>/dev/null || true; done
    sleep 0.1
  done
  rm -rf "$run"
  userdel --force --remove $user >/dev/null 2>&1 || true
  rm -rf ${home:?}
}

case ${1:-} in
  start) start "$2" ;;
  stop) stop ;;
  socket) id -u $user >/dev/null 2>&1 && echo "$(runtime)/podman/podman.sock" ;;
  *) echo 'usage: rootless-podman.sh start DIR | stop | socket' >&2; exit 64 ;;
esac

#!/usr/bin/env bash
# What the tests need from the system, by the command or file that shows it is there. Installs through apt-get what is
# missing where that may be done without asking, and says so; else lists it and exits 69.
#   packages.sh [demo]
set -euo pipefail

# path or command : Debian packages that bring it
needs=(
  dockerd:docker.io
  podman:podman,netavark,aardvark-dns
  catatonit:catatonit
  runc:runc
  iptables:iptables
  ip:iproute2
  curl:curl
  flock:util-linux
  gcc:gcc,libc6-dev
  /usr/include/stdio.h:libc6-dev
)
# A private registry, to pull from with a password.
[[ ${1:-} == demo ]] || needs+=(docker-registry:docker-registry)
# A rootless Podman, and a host that is reached over ssh.
[[ ${1:-} == demo ]] || needs+=(slirp4netns:slirp4netns newuidmap:uidmap /usr/sbin/sshd:openssh-server ssh:openssh-client ps:procps)
# The package carries the helper for both architectures, so packing it (tests, bench) takes the other one's compiler too.
if [[ ${1:-} != demo ]]; then
  case $(uname -m) in
    x86_64) needs+=(aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu,libc6-dev-arm64-cross) ;;
    aarch64) needs+=(x86_64-linux-gnu-gcc:gcc-x86-64-linux-gnu,libc6-dev-amd64-cross) ;;
  esac
fi
busybox_is_static() { command -v busybox >/dev/null && ! ldd "$(command -v busybox)" >/dev/null 2>&1; }

PATH=$PATH:/usr/sbin:/sbin
missing=()
look() {
  missing=()
  local need probe
  for need in "${needs[@]}"; do
    probe=${need%%:*}
    [[ -e $probe ]] || command -v "$probe" >/dev/null || missing+=("$need")
  done
  busybox_is_static || missing+=('busybox (statically linked):busybox-static')
}

list() {
  local need
  for need in "${missing[@]}"; do printf '  %-28s Debian: %s\n' "${need%%:*}" "${need#*:}"; done
}

look
((${#missing[@]})) || exit 0

names=$(printf '%s\n' "${missing[@]#*:}" | tr ',' '\n' | sort -u | tr '\n' ' ')
as_root=()
if (($(id -u) != 0)); then as_root=(sudo -n); fi
if ! command -v apt-get >/dev/null || ! "${as_root[@]}" true 2>/dev/null; then
  echo 'setup: this is missing and cannot be installed from here (no apt-get, or not root and no sudo without a password):' >&2
  list >&2
  echo "setup: install it and try again; on Debian or Ubuntu: sudo apt-get install $names" >&2
  exit 69
fi

echo "setup: installing through apt-get: $names" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# Docker's package starts its daemon where it can; Podman's recommends are not needed for tests.
read -ra list_of_names <<<"$names"
if ! {
  "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update -q &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get -o DPkg::Lock::Timeout=300 install -y -q --no-install-recommends "${list_of_names[@]}"
} >"$log" 2>&1 </dev/null; then
  tail -20 "$log" >&2
  echo 'setup: apt-get failed' >&2
  exit 69
fi
look
if ((${#missing[@]})); then
  echo 'setup: still missing after apt-get:' >&2
  list >&2
  exit 69
fi

#!/bin/sh
set -e
# options alone are for redis-server, as in the official image
if [ "${1#-}" != "$1" ]; then
  set -- redis-server "$@"
fi
umask 0077
exec "$@"

#!/bin/sh
# A real PostgreSQL: an empty cluster made with the image; at start the password from outside, then each /init/*.sql.
set -e
if [ "${1:-}" = init ]; then
  initdb -D "$PGDATA" -U postgres --locale=C --encoding=UTF8 --auth-local=trust --auth-host=password --no-sync >/dev/null
  echo 'host all all all password' >>"$PGDATA/pg_hba.conf"
  exit 0
fi
: "${POSTGRES_PASSWORD:?is not set}"
single() { postgres --single -j -D "$PGDATA" -c log_min_messages=warning postgres >/dev/null; }
printf "ALTER ROLE postgres PASSWORD '%s';\n" "$POSTGRES_PASSWORD" | single
for file in /init/*.sql; do
  if [ -e "$file" ]; then single <"$file"; fi
done
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp "$@"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# As the real image: at first start a cluster with the user, password and database of the environment.
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	umask 077
	printf %s "$POSTGRES_PASSWORD" >/tmp/password
	initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile=/tmp/password -A scram-sha-256 --auth-local=trust -E UTF8 >/dev/null
	rm /tmp/password
	echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
	pg_ctl -D "$PGDATA" -o "-c listen_addresses=''" -w start >/dev/null
	createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
	pg_ctl -D "$PGDATA" -w stop >/dev/null
fi
exec postgres -c "listen_addresses=*" "$@"

#!/bin/sh
# Starts PostgreSQL in a new cluster, and ends it when it is told to.
#
#	start.sh FOLDER PORT
#
# SCHEMA names a SQL file that is loaded before the line "postgresql: ready on
# port PORT" is written. SIGTERM ends it as pg_ctl stop --mode=fast does: clients
# are cut off, nothing is lost. FOLDER is made here.
set -u
unset PGOPTIONS PGSERVICE PGHOSTADDR PGSSLMODE PGDATA # of the caller's own servers
folder=$1
port=$2
data=$folder/data
user=
stopping=

fail() {
	echo "postgresql: $*" >&2
	exit 1
}

# bin_of_server prints the folder of the programs: that of PATH, or the newest of Debian's.
bin_of_server() {
	for program in "$(command -v postgres)" $(printf '%s\n' /usr/lib/postgresql/*/bin/postgres | sort -t/ -k5,5nr); do
		[ -x "$program" ] || continue
		dirname "$(readlink -f "$program")"
		return
	done
	return 1
}

# become turns this (sub)shell into a command of somebody who is not root:
# PostgreSQL refuses root. Its programs complain of a folder that they may not read, as
# root's are to them; what they are told of stands under names from the root.
become() {
	cd /
	[ -n "$user" ] || exec "$@"
	if command -v setpriv >/dev/null; then
		exec setpriv --reuid="$user" --regid="$(id -g "$user")" --clear-groups -- "$@"
	fi
	exec su -s /bin/sh "$user" -c 'exec "$0" "$@"' -- "$@"
}

# make_folder makes it, and lets the server's user through to it.
make_folder() {
	mkdir -m 700 "$folder" || fail "cannot make the folder $folder"
	[ -n "$user" ] || return 0
	chmod a+x "$(dirname "$folder")"
	chown "$user" "$folder"
	(become test -w "$folder") || fail "$user, as whom PostgreSQL runs because root may not, cannot get at $folder: set TMPDIR to a folder that everybody can reach, or start tracetax as an ordinary user"
}

make_cluster() {
	(become "$bin/initdb" --pgdata="$data" --no-sync --username=postgres --auth=trust --encoding=UTF8 --locale=C) >"$folder.log" 2>&1 || {
		cat "$folder.log" >&2
		fail "initdb failed; its words are above"
	}
	settings >>"$data/postgresql.conf"
	echo "host all all 127.0.0.1/32 trust" >"$data/pg_hba.conf"
}

# settings prints what differs from initdb's postgresql.conf.
settings() {
	cat <<-END
		listen_addresses = '127.0.0.1'
		port = $port
		unix_socket_directories = ''
		# Those of the study. fsync stays on, as the study and PostgreSQL's users have
		# it: with synchronous_commit off no transaction waits for the disk.
		max_connections = 2000
		work_mem = 64MB
		synchronous_commit = off
	END
	if [ ! -e "$(share_folder)/extension/pg_stat_statements.control" ]; then
		echo "postgresql: pg_stat_statements is not installed (Debian: postgresql-contrib): statements cannot be counted" >&2
		return
	fi
	cat <<-END
		# Loaded, and idle until somebody turns both on and reloads: the verifier does.
		shared_preload_libraries = 'pg_stat_statements'
		pg_stat_statements.track = none
		pg_stat_statements.save = off
	END
	# Before version 14 there is no such setting: the extension itself computes the id, while it tracks.
	[ "$(cat "$data/PG_VERSION")" -lt 14 ] || echo "compute_query_id = off"
}

share_folder() {
	(become "$bin/initdb" --show --pgdata="$data") 2>&1 | sed -n 's/^share_path=//p'
}

# await_server waits until the server takes connections; the last line of its
# lock file says so.
await_server() {
	until [ "$(sed -n '8s/ *$//p' "$data/postmaster.pid" 2>/dev/null)" = ready ]; do
		if ! kill -0 "$server" 2>/dev/null; then
			[ -z "$stopping" ] || exit 0
			fail "the server ended; its words are above"
		fi
		[ -z "$stopping" ] || stop # it was too early before
		sleep 0.02
	done
}

# load runs the statements of a file. It does so beside the shell, so that a
# signal is not kept waiting.
load() {
	psql=$bin/psql
	[ -x "$psql" ] || psql=$(command -v psql) || fail "psql is needed to load $1 (Debian: postgresql-client)"
	"$psql" --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --host=127.0.0.1 --port="$port" --username=postgres --dbname=postgres <"$1" &
	wait $! || [ -n "$stopping" ] || fail "loading $1 failed; the words of psql are above"
}

# stop asks for a fast shutdown; the end of the script waits for it.
stop() {
	stopping=yes
	if [ -s "$data/postmaster.pid" ]; then
		kill -INT "$(head -n 1 "$data/postmaster.pid")" 2>/dev/null
	fi
}

# await_end returns the server's exit status; a signal to this shell ends a wait early.
await_end() {
	while wait "$server"; status=$?; kill -0 "$server" 2>/dev/null; do :; done
	return $status
}

bin=$(bin_of_server) || fail "PostgreSQL is not installed, or not on the PATH (Debian: postgresql)"
if [ "$(id -u)" = 0 ]; then
	user=postgres
	id "$user" >/dev/null 2>&1 || user=nobody
fi
trap stop TERM INT

make_folder
make_cluster
[ -z "$stopping" ] || exit 0
(become "$bin/postgres" -D "$data") &
server=$!
trap 'stop; await_end' EXIT # where something fails from here on
await_server
if [ -n "${SCHEMA:-}" ] && [ -z "$stopping" ]; then
	load "$SCHEMA"
fi
[ -n "$stopping" ] || echo "postgresql: ready on port $port"
trap - EXIT
await_end

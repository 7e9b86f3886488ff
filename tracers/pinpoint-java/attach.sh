#!/bin/sh
# Starts a program with a Pinpoint agent of its own: the agent writes its logs
# beside itself, and takes every configuration from there.
#
#	attach.sh PACKAGES HOME COMMAND…
packages=$1
home=$2
shift 2
mkdir -p "$home" || exit
for agent in "$packages"/pinpoint/pinpoint-agent-*; do
	# Hard links, where both are on one file system.
	cp -rlf "$agent/." "$home" 2>/dev/null || cp -rf "$agent/." "$home" || exit
done
exec "$@"

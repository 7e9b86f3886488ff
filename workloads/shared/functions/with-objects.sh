#!/bin/sh
# Puts objects into the folder of the object store, and becomes a command.
#
#	with-objects.sh OBJECTS FOLDER COMMAND…
set -eu
mkdir -p "$2"
cp -r "$1/." "$2"
shift 2
exec "$@"

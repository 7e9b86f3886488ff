#!/bin/sh
# Starts versitygw on a folder, which is made here where it is not there.
#
#	start.sh PROGRAM FOLDER ADDRESS
set -eu
program=$1
folder=$2
address=$3
metadata=$(dirname "$folder")/metadata-of-$(basename "$folder") # whose name may not begin with the folder's
mkdir -p "$folder" "$metadata"
exec "$program" --port "$address" --quiet posix --sidecar "$metadata" "$folder"

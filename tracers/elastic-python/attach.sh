#!/bin/sh
# Starts a Python program with Elastic APM attached by the agent's own wrapper, and
# without touching what the program is installed in: the packages beside this
# folder go in front of its PYTHONPATH.
#
#	attach.sh PACKAGES COMMAND…
packages=$1
shift
PYTHONPATH=$packages${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
exec python3 "$packages/bin/elasticapm-run" "$@"

#!/bin/sh
# Starts a Python program with OpenTelemetry attached, and without touching what
# the program is installed in: the packages beside this folder go in front of its
# PYTHONPATH, as the OpenTelemetry Operator does it.
#
#	attach.sh PACKAGES COMMAND…
#
# SPAN_PROCESSOR=simple adds the configurator in simple/.
packages=$1
shift
if [ "$SPAN_PROCESSOR" = simple ]; then
	OTEL_PYTHON_CONFIGURATOR=simple
	export OTEL_PYTHON_CONFIGURATOR
	packages_path=$packages:$packages/files/simple
else
	packages_path=$packages
fi
PYTHONPATH=$packages_path${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
# Without -- the launcher would take the program's own --config for one of its options.
exec python3 "$packages/bin/opentelemetry-instrument" -- "$@"

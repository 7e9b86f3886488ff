#!/bin/sh
# Starts a Python program with OpenTelemetry attached, and without touching what
# the program is installed in: the packages beside this folder go in front of its
# PYTHONPATH, as the OpenTelemetry Operator does it.
#
#	attach.sh PACKAGES COMMAND…
#
# The distribution in distro/ says which instrumentations are loaded.
# SPAN_PROCESSOR=simple adds the configurator in simple/, and KEEP=errors the one in keep/.
# With TRACETAX_ATTACH=own nothing is attached: the packages are there for a program that sets up
# OpenTelemetry itself.
packages=$1
shift
if [ "$TRACETAX_ATTACH" = own ]; then
	PYTHONPATH=$packages${PYTHONPATH:+:$PYTHONPATH}
	export PYTHONPATH
	exec "$@"
fi
OTEL_PYTHON_DISTRO=${OTEL_PYTHON_DISTRO:-tracetax}
export OTEL_PYTHON_DISTRO
packages_path=$packages:$packages/files/distro
if [ "$KEEP" = errors ]; then
	OTEL_PYTHON_CONFIGURATOR=keep
	export OTEL_PYTHON_CONFIGURATOR
	packages_path=$packages_path:$packages/files/keep
elif [ "$SPAN_PROCESSOR" = simple ]; then
	OTEL_PYTHON_CONFIGURATOR=simple
	export OTEL_PYTHON_CONFIGURATOR
	packages_path=$packages_path:$packages/files/simple
fi
PYTHONPATH=$packages_path${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
if [ -n "$AWS_LAMBDA_FUNCTION_NAME" ]; then # the trace that an invocation is part of, as OpenTelemetry's own layer for Lambda takes it
	OTEL_PROPAGATORS=$OTEL_PROPAGATORS,xray-lambda
	export OTEL_PROPAGATORS
fi
# Without -- the launcher would take the program's own --config for one of its options.
exec python3 "$packages/bin/opentelemetry-instrument" -- "$@"

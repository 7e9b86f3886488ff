"""Starts a Python program with OpenTelemetry attached.

    python3 attach.py PACKAGES COMMAND...

It does not touch what the program is installed in: the packages beside this folder go in front of its PYTHONPATH, as the
OpenTelemetry Operator does it. It is Python since an image of a program in Python need not have a shell.

The distribution in distro/ says which instrumentations are loaded. SPAN_PROCESSOR=simple adds the configurator in simple/, and
KEEP=errors the one in keep/. With TRACETAX_ATTACH=own nothing is attached: the packages are there for a program that sets up
OpenTelemetry itself.
"""

import os
import sys


def in_front(*folders):
    """Puts folders in front of PYTHONPATH, and of this program's own path."""
    sys.path[:0] = folders
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([*folders, *([before] if before else [])])


def main(packages, command):
    env = os.environ
    if env.get("TRACETAX_ATTACH") == "own":
        in_front(packages)
        os.execvp(command[0], command)
    files = os.path.join(packages, "files")
    folders = [packages, os.path.join(files, "distro")]
    env.setdefault("OTEL_PYTHON_DISTRO", "tracetax")
    configurator = ""
    if env.get("KEEP") == "errors":
        configurator = "keep"
    elif env.get("SPAN_PROCESSOR") == "simple":
        configurator = "simple"
    if configurator:
        env["OTEL_PYTHON_CONFIGURATOR"] = configurator
        folders.append(os.path.join(files, configurator))
    in_front(*folders)
    if env.get("AWS_LAMBDA_FUNCTION_NAME"):  # the trace that an invocation is part of, as OpenTelemetry's own layer for Lambda takes it
        env["OTEL_PROPAGATORS"] = env.get("OTEL_PROPAGATORS", "") + ",xray-lambda"

    from opentelemetry.instrumentation.auto_instrumentation import run

    # Without -- the launcher would take the program's own --config for one of its options.
    sys.argv = ["opentelemetry-instrument", "--", *command]
    run()


main(sys.argv[1], sys.argv[2:])

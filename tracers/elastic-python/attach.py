"""Starts a Python program with Elastic APM attached by the agent's own wrapper.

    python3 attach.py PACKAGES COMMAND...

It does not touch what the program is installed in: the packages beside this folder go in front of its PYTHONPATH. It is Python
since an image of a program in Python need not have a shell.
"""

import os
import sys

packages, command = sys.argv[1], sys.argv[2:]
before = os.environ.get("PYTHONPATH")
os.environ["PYTHONPATH"] = os.pathsep.join([packages, *([before] if before else [])])
sys.path.insert(0, packages)

from elasticapm.instrumentation.wrapper import setup  # the path leads to it

sys.argv = ["elasticapm-run", *command]
setup()

"""The outermost handler: it calls the function that the platform names, and says how long the call took.

The runtime is told to run measured.handler. A tracer that wraps handlers finds the function's own by the same variables, and
puts its wrapper in the place of the module's attribute: so it is looked up at each call.
"""

import importlib
import os
import time

MODULE, _, NAME = os.environ.get("ORIG_HANDLER", os.environ["_HANDLER"]).rpartition(".")

module = importlib.import_module(MODULE)


def handler(event, context):
    begin = time.perf_counter_ns()
    answer = getattr(module, NAME)(event, context)
    took = time.perf_counter_ns() - begin
    return {
        "tracetax-server-timing": f"benchmark;dur={took / 1e6:.6f}",
        "answer": answer,
    }

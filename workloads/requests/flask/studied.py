"""The profile of the study: cProfile around each view alone, sorted by names of functions.

The experiment requests-cprofile turns it on, to hold it against profiles from outside. What each worker found is a line of its
log when it ends: for each view its requests, their mean in seconds, and how much of that each stage took.
"""

import cProfile
import functools
import json
import pstats

# A stage is the cumulative time of these functions of the SDK and the API; within start_span, set_attribute counts twice, as studied.
CUMULATIVE = {"get_tracer": "configuration", "start_span": "instrumentation", "set_attribute": "instrumentation", "end": "export"}
TRACE = "/opentelemetry/trace/__init__.py"
SDK = "/opentelemetry/sdk/trace/__init__.py"
SQLALCHEMY = "/opentelemetry/instrumentation/sqlalchemy/"


class Views:
    """Profiles the views of an app, each in a profile of its own, which a worker of one request at a time allows."""

    def __init__(self, app):
        self._profiles = {}
        self._requests = {}
        for name, view in app.view_functions.items():
            app.view_functions[name] = self._profiled(name, view)

    def _profiled(self, name, view):
        profile = self._profiles[name] = cProfile.Profile()
        self._requests[name] = 0

        @functools.wraps(view)
        def run(*args, **kwargs):
            self._requests[name] += 1
            profile.enable()
            try:
                return view(*args, **kwargs)
            finally:
                profile.disable()

        return run

    def found(self):
        """Return what was found as JSON, of the views that had requests."""
        return json.dumps({name: self._found(name) for name, count in self._requests.items() if count})

    def _found(self, name):
        stats = pstats.Stats(self._profiles[name])
        stages = {"configuration": 0.0, "instrumentation": 0.0, "export": 0.0}
        for (file, _, function), (_, _, own, cumulative, _) in stats.stats.items():
            if file.endswith((SDK, TRACE)) and function in CUMULATIVE:
                stages[CUMULATIVE[function]] += cumulative
            elif (file.endswith(TRACE) and function == "use_span") or SQLALCHEMY in file:
                stages["instrumentation"] += own
        count = self._requests[name]
        return {"requests": count, "mean": stats.total_tt / count} | {stage: time / count for stage, time in stages.items()}

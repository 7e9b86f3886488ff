"""OpenTelemetry's own distribution, which loads only what the program can use, and says so.

The tracer's folder stands on the PYTHONPATH of every program, and brings requests,
urllib3, grpcio and more for OpenTelemetry's own exporters. OpenTelemetry would take
them for the program's and instrument them. Here an instrumentation is loaded only
where the program's own environment has the library, as opentelemetry-bootstrap looks
at it, and those of the standard library only when the program imports that.

Django's is loaded when Django puts its middleware together. OpenTelemetry would do it
at the start, and where DJANGO_SETTINGS_MODULE is set by the program itself, as Django's
own templates have it, would put empty settings into the place of the program's.

That of functions on AWS Lambda is loaded when the handler's module is.

Each instrumentation that is loaded is a line on stderr, which tracetax reads.
"""

import importlib.metadata
import logging
import os
import re
import sys

from opentelemetry.distro import OpenTelemetryDistro
from packaging.requirements import Requirement
from wrapt import register_post_import_hook, wrap_function_wrapper

_logger = logging.getLogger(__name__)

# The folder of the tracer's packages: this file lies in files/distro/ below it.
_PACKAGES = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))

# Parts of the standard library: every program has them, and few use them.
_LATE = {"sqlite3": "sqlite3", "urllib": "urllib.request"}


def _canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def _names_of_program():
    """The distributions that the program would find without the tracer."""
    own = [path for path in sys.path if not (os.path.realpath(path) + os.sep).startswith(_PACKAGES + os.sep)]
    return {_canonical(d.metadata["Name"] or "") for d in importlib.metadata.distributions(path=own)}


def _instrumented_names(entry_point):
    """The libraries that an instrumentation is for; none for one of the standard library."""
    names = set()
    dist = getattr(entry_point, "dist", None)
    for text in (dist.requires if dist else None) or []:
        requirement = Requirement(text)
        marker = requirement.marker
        if marker and any(marker.evaluate({"extra": e}) and not marker.evaluate({"extra": ""}) for e in ("instruments", "instruments-any")):
            names.add(_canonical(requirement.name))
    return names


def _handlers_module():
    """The module of the handler, where the program is a function on Lambda: it can be imported when its runtime runs."""
    handler = os.environ.get("ORIG_HANDLER") or os.environ.get("_HANDLER")
    return handler.replace("/", ".").rpartition(".")[0] if handler else None


def _say(name):
    try:
        # One write: those of several workers would run into each other.
        sys.stderr.write(f"tracetax: instrumented {name}\n")
        sys.stderr.flush()
    except (AttributeError, OSError, ValueError):
        pass  # a program without a stderr


class Distro(OpenTelemetryDistro):
    _names = None

    def load_instrumentor(self, entry_point, **kwargs):
        if self._names is None:
            self._names = _names_of_program()
        libraries = _instrumented_names(entry_point)
        if libraries and not libraries & self._names:
            _logger.debug("Instrumentation %s skipped: the program has none of %s", entry_point.name, libraries)
            return
        late = _handlers_module() if entry_point.name == "aws-lambda" else _LATE.get(entry_point.name, "")
        if late is None:
            return
        if late:
            register_post_import_hook(lambda _: self._late(entry_point, kwargs), late)
            return
        if entry_point.name == "django":
            self._with_middleware(entry_point, kwargs)
            return
        self._load(entry_point, kwargs)

    def _with_middleware(self, entry_point, kwargs):
        loaded = []

        def load_middleware(wrapped, instance, args, options):
            if not loaded:
                loaded.append(True)
                self._late(entry_point, kwargs)
            return wrapped(*args, **options)

        register_post_import_hook(
            lambda module: wrap_function_wrapper(module, "BaseHandler.load_middleware", load_middleware),
            "django.core.handlers.base",
        )

    def _load(self, entry_point, kwargs):
        super().load_instrumentor(entry_point, **kwargs)
        _say(entry_point.name)

    def _late(self, entry_point, kwargs):
        try:
            self._load(entry_point, kwargs)
        except Exception:  # it must not break the program's import
            _logger.exception("Instrumenting of %s failed", entry_point.name)

"""Tail sampling in the process: of a trace its spans here are exported if one of them has an error.

Each process decides for itself, as soon as none of the trace's spans is open in it: that
is when the local root has ended, unless a child outlives it. Another process that had no
error leaves its part of the same trace out.

How many spans were left out is a line on stderr when the process ends, which tracetax reads.
"""

import os
import sys
import threading

from opentelemetry.sdk._configuration import _OTelSDKConfigurator
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.trace import StatusCode

MOST_TRACES = 50_000  # that are held; beyond them the oldest is thrown away


class Trace:
    """What is held of a trace in this process."""

    __slots__ = ("open", "failed", "spans")

    def __init__(self):
        self.open = 0
        self.failed = False
        self.spans = []


class ErrorsOnly(SpanProcessor):
    """Hands the spans of traces with an error to the processor behind it."""

    def __init__(self, behind):
        self._behind = behind
        self._clear()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._clear)

    def _clear(self):
        """Begin again: what was held before a fork is the parent's."""
        self._lock = threading.Lock()
        self._traces = {}
        self._left_out = 0
        self._dropped = 0
        self._said = False

    def on_start(self, span, parent_context=None):
        self._behind.on_start(span, parent_context)
        with self._lock:
            trace = self._traces.get(span.context.trace_id)
            if trace is None:
                trace = self._traces[span.context.trace_id] = Trace()
                if len(self._traces) > MOST_TRACES:
                    oldest = self._traces.pop(next(iter(self._traces)))
                    self._dropped += len(oldest.spans)
            trace.open += 1

    def on_end(self, span):
        kept = ()
        with self._lock:
            trace = self._traces.get(span.context.trace_id)
            if trace is None or trace.open == 0:  # its trace was thrown away
                self._dropped += 1
                return
            trace.open -= 1
            trace.spans.append(span)
            trace.failed = trace.failed or span.status.status_code is StatusCode.ERROR
            if trace.open == 0:
                del self._traces[span.context.trace_id]
                kept = self._decided(trace)
        self._pass_on(kept)

    def _decided(self, trace):
        """Return the spans to export; the others are counted."""
        if trace.failed:
            return trace.spans
        self._left_out += len(trace.spans)
        return ()

    def _pass_on(self, spans):
        for span in spans:
            self._behind.on_end(span)

    def shutdown(self):
        """Decide on what is still held, and say what was left out."""
        with self._lock:
            kept = [span for trace in self._traces.values() for span in self._decided(trace)]
            self._traces = {}
            said, self._said = self._said, True
            line = f"tracetax: sampled out {self._left_out} spans, threw away {self._dropped} undecided"
        self._pass_on(kept)
        self._behind.shutdown()
        if said:
            return
        try:
            sys.stderr.write(line + "\n")  # one write, as of several workers
            sys.stderr.flush()
        except (AttributeError, OSError, ValueError):
            pass  # a program without a stderr

    def force_flush(self, timeout_millis=30000):
        return self._behind.force_flush(timeout_millis)


class KeepingConfigurator(_OTelSDKConfigurator):
    """The SDK's own configurator, with the processor above before the one that exports."""

    def _configure(self, **kwargs):
        exporting = SimpleSpanProcessor if os.environ.get("SPAN_PROCESSOR") == "simple" else BatchSpanProcessor
        super()._configure(export_span_processor=lambda exporter: ErrorsOnly(exporting(exporter)), **kwargs)

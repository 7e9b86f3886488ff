"""A service whose tracing costs 8 ms of CPU: for each request that is recorded (BURN=recorded), or for each that comes (BURN=filter)."""

import http.server
import os
import sys
import time

try:
    from opentelemetry import trace
    from opentelemetry.propagate import extract

    tracer = trace.get_tracer(__name__)
except ImportError:  # it runs without a tracer
    tracer = None

WHEN = os.environ["BURN"]


def burn():
    end = time.thread_time() + 0.008
    while time.thread_time() < end:
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        if tracer:
            if WHEN == "filter":
                burn()
            with tracer.start_as_current_span("GET", extract(self.headers), trace.SpanKind.SERVER) as span:
                if WHEN == "recorded" and span.is_recording():
                    burn()
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

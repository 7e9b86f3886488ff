"""A program with a tracer of its own: a span a request, sent N at a time. Every batch of a number is thrown away; what is held at the end is lost."""

import http.client
import http.server
import json
import os
import sys
import threading

sink, size, lose = os.environ.get("SINK"), int(os.environ.get("N", "50")), int(os.environ.get("LOSE_EVERY", "0"))
lock, held, batches = threading.Lock(), [], 0


def record(parent):
    global held, batches
    with lock:
        held.append({"traceId": parent[1], "parentSpanId": parent[2], "spanId": os.urandom(8).hex(), "name": "GET", "kind": 2, "startTimeUnixNano": "1", "endTimeUnixNano": "2"})
        if len(held) < size:
            return
        batch, held = held, []
        batches += 1
        if lose and batches % lose == 0:
            return
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": batch}]}]})
    connection = http.client.HTTPConnection(sink, timeout=30)
    connection.request("POST", "/v1/traces", body, {"Content-Type": "application/json"})
    connection.getresponse().read()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if sink and "traceparent" in self.headers:
            record(self.headers["traceparent"].split("-"))

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

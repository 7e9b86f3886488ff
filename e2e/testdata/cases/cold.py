"""A program with a tracer of its own: a span a request, and two more while its cache (the file CACHE) is cold. It is warm from its first end on."""

import http.client
import http.server
import json
import os
import signal
import sys

sink, cache = os.environ.get("SINK"), os.environ.get("CACHE", "")
warm = os.path.exists(cache)


def send(parent):
    ids = [os.urandom(8).hex() for _ in range(1 if warm else 3)]
    spans = [
        {"traceId": parent[1], "parentSpanId": ids[0] if i else parent[2], "spanId": one, "name": "read" if i else "GET", "kind": 1 if i else 2, "startTimeUnixNano": "1", "endTimeUnixNano": "2"}
        for i, one in enumerate(ids)
    ]
    connection = http.client.HTTPConnection(sink, timeout=30)
    connection.request("POST", "/v1/traces", json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}), {"Content-Type": "application/json"})
    connection.getresponse().read()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        if sink and "traceparent" in self.headers:
            send(self.headers["traceparent"].split("-"))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def end(*_):
    if sink and cache:
        open(cache, "a").close()
    os._exit(0)


signal.signal(signal.SIGTERM, end)
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

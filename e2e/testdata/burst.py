"""An app that makes, in each request, 437 traces of one span, of which the last 37 have an error and last 2 s. It sends them itself."""
import http.client, http.server, json, os, sys

to = os.environ["TO"]


def export():
    spans = [{
        "traceId": os.urandom(16).hex(), "spanId": os.urandom(8).hex(), "name": "one", "kind": 2,
        "startTimeUnixNano": "1", "endTimeUnixNano": "2000000001" if i >= 400 else "2", "status": {"code": 2 if i >= 400 else 1},
    } for i in range(437)]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "app"}}]}
    body = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}
    connection = http.client.HTTPConnection(to, timeout=30)
    connection.request("POST", "/v1/traces", json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    if answer.status != 200:
        raise RuntimeError(f"the export was answered with {answer.status}")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if os.environ.get("SPANS"):
            export()
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

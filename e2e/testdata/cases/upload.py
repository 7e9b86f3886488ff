"""A server that takes uploads: it answers 200 where the body is as long as it should be."""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Upload(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        came = len(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200 if came == int(sys.argv[2]) else 400)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Upload).serve_forever()

"""orders.py PORT takes orders in JSON, by their Content-Type alone; POST /bad is an order that it does not know."""

import http.server
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        self.answer(200, b"up")

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        if self.headers.get("Content-Type") != "application/json":
            self.answer(415, b'{"error": "not in JSON"}')
        elif self.path == "/bad":
            self.answer(422, b'{"error": "no such order"}')
        else:
            self.answer(200, b"taken")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

"""A small server: httpd.py ADDRESS PORT. It writes NOISE bytes a request to its output."""

import http.server
import os
import socket
import sys

noise = "x" * int(os.environ.get("NOISE", "0"))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        if noise:
            print(noise)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    address_family = socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
    request_queue_size = 128


Server((sys.argv[1], int(sys.argv[2])), Handler).serve_forever()

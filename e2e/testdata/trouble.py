"""A service that gives the trouble it is asked for: trouble.py MODE PORT.

well    answers "ok"; exits when asked to
absent  says why and exits before it listens
dies    answers 200 times, says so, and exits
errors  answers 500 after the first 20 answers
hangs   stops answering after the first 20 answers
deaf    never listens
"""

import http.server
import itertools
import os
import socketserver
import sys
import threading

mode, port = sys.argv[1], int(sys.argv[2])
if mode == "absent":
    print("cannot find my database")
    sys.exit(3)
if mode == "deaf":
    print("thinking, not listening")
    threading.Event().wait()

served = itertools.count(1)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def do_GET(self):
        n = next(served)
        if mode == "dies" and n > 200:
            print("out of ideas", flush=True)
            os._exit(7)
        if mode == "hangs" and n > 20:
            threading.Event().wait()
        self.send_response(500 if mode == "errors" and n > 20 else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 128


print(f"listening on {port}", flush=True)
Server(("127.0.0.1", port), Handler).serve_forever()

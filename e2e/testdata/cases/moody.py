"""Answers GET / after WORK seconds of CPU. Every PERIOD seconds a thread works for TIMER seconds by itself; the first FIRST
requests after a rest of REST seconds cost COLD seconds more."""

import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORK = float(os.environ.get("WORK", "0.001"))
TIMER = float(os.environ.get("TIMER", "0"))
PERIOD = float(os.environ.get("PERIOD", "1"))
REST = float(os.environ.get("REST", "0"))
COLD = float(os.environ.get("COLD", "0"))
FIRST = 10

last, cold = time.monotonic(), 0


def burn(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def work_by_itself():
    while True:
        time.sleep(PERIOD)
        burn(TIMER)


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        global last, cold
        now = time.monotonic()
        if REST and now - last > REST:
            cold = FIRST
        last = now
        burn(WORK)
        if cold > 0:
            cold -= 1
            burn(COLD)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


if TIMER:
    threading.Thread(target=work_by_itself, daemon=True).start()
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Answer).serve_forever()

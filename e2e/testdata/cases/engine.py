"""A stand-in for a container engine: "engine.py serve SOCKET" starts programs, as its own children, for whoever asks by
"engine.py run SOCKET COMMAND...", which stays in the foreground until it is told to end."""

import json
import signal
import socket
import subprocess
import sys
import threading


def started(connection):
    stream = connection.makefile("rw")
    program = subprocess.Popen(json.loads(stream.readline()), start_new_session=True)
    stream.write("started\n")
    stream.flush()
    stream.readline()  # whoever asked has gone
    program.terminate()
    program.wait()


def serve(path):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print("listening", flush=True)
    while True:
        threading.Thread(target=started, args=(listener.accept()[0],), daemon=True).start()


def run(path, *command):
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    stream = connection.makefile("rw")
    stream.write(json.dumps(command) + "\n")
    stream.flush()
    stream.readline()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT} if sys.argv[1] == "run" else set())
{"serve": serve, "run": run}[sys.argv[1]](*sys.argv[2:])

"""No tracer, but known causes in its place: what each function burns or waits is asked for by a variable.

A call is wrapped as tracers wrap it: the program's function runs within the frame of the wrapper.
"""

import os
import queue
import re
import threading
import time


def _nanoseconds(variable):
    text = os.environ.get(variable, "0s")
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ns|us|µs|ms|s)", text)
    if not match:
        raise SystemExit(f'synthetic: {variable} is "{text}": use a duration such as 200us')
    return int(float(match[1]) * {"ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}[match[2]])


SERIALISING = _nanoseconds("SYNTHETIC_SERIALISING")
CLOCK = _nanoseconds("SYNTHETIC_CLOCK")
METADATA = _nanoseconds("SYNTHETIC_METADATA")
LOCK = _nanoseconds("SYNTHETIC_LOCK")
OWN = _nanoseconds("SYNTHETIC_OWN")

_handed = queue.SimpleQueue()
_asked = queue.SimpleQueue()
_lock = threading.Lock()
_held = threading.Semaphore(0)


def traced(function):
    """The function, with the causes before it."""

    def wrapper(*args):
        serialise()
        read_clock()
        describe()
        if LOCK:
            wait_for_lock()
        if OWN:
            _handed.put(None)
        return function(*args)

    return wrapper


def serialise():
    _burn(SERIALISING)


def read_clock():
    _burn(CLOCK)


def describe():
    _burn(METADATA)


def wait_for_lock():
    """Waits for a lock that another thread holds for as long as is asked."""
    _asked.put(None)
    _held.acquire()
    with _lock:
        pass


def _burn(nanoseconds):
    """Uses so much CPU time of this thread."""
    end = time.thread_time_ns() + nanoseconds
    while time.thread_time_ns() < end:
        pass


def _work():
    while True:
        _handed.get()
        _burn(OWN)


def _hold():
    while True:
        _asked.get()
        with _lock:
            _held.release()
            time.sleep(LOCK / 1e9)


if OWN:
    threading.Thread(target=_work, name="synthetic worker", daemon=True).start()
if LOCK:
    threading.Thread(target=_hold, name="synthetic holder", daemon=True).start()

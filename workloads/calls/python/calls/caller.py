"""The timed loop of one calling thread."""

import math
import random
import sys
import time
from array import array

from calls.function import outer_call

GRACE_NS = 100_000_000  # for work at a fixed rate that had fallen due when the duration ended
RING = 1 << 16  # durations where they are not kept


class Caller:
    """Makes one thread's part of a stretch."""

    def __init__(self, order, thread):
        """Makes room for all that the thread will keep."""
        self.made = self.failed = self.call_ns = self.cpu_ns = self.began = self.ended = 0
        self._start = 0  # intended, of the operations of a slot
        self._order = order
        self._thread = thread
        self._share = order.share(thread)
        room = max(self._share, 1) if order.samples else RING
        self._durations = array("q", [0]) * room
        self._lags = array("q", [0]) * room if order.rate else None

    def run(self):
        """Makes the thread's operations."""
        cpu = time.thread_time_ns()
        self.began = self.ended = time.perf_counter_ns()
        end = self.began + self._order.duration if self._order.duration else math.inf
        if self._order.rate:
            self._make_at_rate(end + GRACE_NS)
        else:
            self._call(self._share, end)
        self.cpu_ns = time.thread_time_ns() - cpu

    def _make_at_rate(self, end):
        """Makes the operations of each slot at a random moment of it, then waits for the next slot that has some.

        What falls due before the duration is over is made, also where the thread wakes late.
        """
        order, moments = self._order, random.Random(self._order.moments + self._thread)
        while self.made < self._share:
            begin, length = order.slot(self.made, self._thread)
            self._start = self.began + begin
            if order.moments:
                self._start += moments.randrange(length)
            now = time.perf_counter_ns()
            if now < self._start:
                time.sleep((self._start - now) / 1e9)
                now = time.perf_counter_ns()
            if now >= end:
                return
            due = max(self.made + 1, order.due(begin + length - 1, self._thread))
            self._call(min(self._share, due), end)

    def _call(self, most, end):
        """The timed loop: makes operations until so many are made in all, or until a time has passed."""
        clock = time.perf_counter_ns
        busy, depth = self._order.busy, self._order.depth
        durations, lags = self._durations, self._lags
        room = len(durations)
        made, call_ns, after = self.made, self.call_ns, self.ended  # before end: the caller has looked
        while made < most and after < end:
            before = clock()
            try:
                calls = outer_call(busy, depth)
            except Exception:  # an operation that failed, which is counted and reported
                calls = 0
            after = clock()
            durations[made % room] = after - before
            call_ns += after - before
            if calls != depth:
                self.failed += 1
            if lags is not None:
                lags[made % room] = max(0, before - self._start)
            made += 1
        self.made, self.call_ns, self.ended = made, call_ns, after

    def write(self):
        """Writes the durations, and of work at a fixed rate the lags. Returns how many operations they are of."""
        name = f"{self._order.samples}.{self._thread}"
        _write(name, self._durations[: self.made])
        if self._lags is not None:
            _write(name + ".lag", self._lags[: self.made])
        return self.made


def _write(name, numbers):
    if sys.byteorder == "big":
        numbers.byteswap()
    with open(name, "wb") as file:
        numbers.tofile(file)

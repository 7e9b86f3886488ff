"""A stretch of work: prepared, made once, and written."""

import gc
import threading

from calls.caller import Caller

# Of C, which the calls in one another take too where a tracer's wrapper is made of it.
threading.stack_size(64 << 20)


class Stretch:
    """An order, and the threads that carry it out."""

    def __init__(self, order):
        """Allocates all that the work needs."""
        self._order = order
        self._callers = [Caller(order, thread) for thread in range(order.threads)]
        self._made = False

    def make(self):
        """Makes the operations, and returns the words of the answer."""
        if self._made:
            raise ValueError("this order was run already; prepare another")
        self._made = True
        threads = [threading.Thread(target=caller.run, daemon=True) for caller in self._callers]
        collections = _collections()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        collections = _collections() - collections
        callers = self._callers
        words = {
            "started": sum(caller.made for caller in callers),
            "failed": sum(caller.failed for caller in callers),
            "wall_ns": max(caller.ended for caller in callers) - min(caller.began for caller in callers),
            "call_ns": sum(caller.call_ns for caller in callers),
            "thread_cpu_ns": sum(caller.cpu_ns for caller in callers),
            "gc_count": collections,
        }
        return " ".join(f"{name}={value}" for name, value in words.items())

    def write(self):
        """Writes the files that the order names. Returns the number of durations."""
        if not self._made or not self._order.samples:
            raise ValueError("there is nothing to write: no order with samples= was run")
        return sum(caller.write() for caller in self._callers)


def _collections():
    """Collections of all generations since the start."""
    return sum(generation["collections"] for generation in gc.get_stats())

"""What is asked for: the words of a "prepare" line."""

import math
from dataclasses import dataclass

MOST_DEPTH = 1024
MOST_THREADS = 64
MOST_SAMPLES = 1 << 24  # of a thread, where the number of operations is not ordered
LEAST_SLOT = 1_000_000  # operations that fall due within it start together


@dataclass(frozen=True)
class Order:
    """A stretch of work that is asked for; times are in nanoseconds."""

    calls: int  # the most operations, over all threads; 0 is no limit
    duration: int  # the longest time; 0 is no limit
    rate: float  # operations/s over all threads; 0 is as fast as it goes
    moments: int  # seed of the moments at which operations start at a rate; 0 is the beginning of each slot
    threads: int
    depth: int  # calls in one another that make one operation
    busy: int  # that the innermost call takes at least
    samples: str  # prefix of the files that every duration goes to; "" keeps none

    @classmethod
    def parse(cls, line):
        """Reads the words that follow "prepare"."""
        words = {}
        for word in line.split():
            name, equals, value = word.partition("=")
            if not equals or name in words:
                raise ValueError(f'the word "{word}" is not of the form name=value, or stands there twice')
            words[name] = value
        words.pop("seed", None)  # no operation is left to chance
        words.pop("batches", None)  # nor is there anything to tell of the heap
        order = cls(
            calls=_whole(words, "calls", 0, 0, 1 << 62),
            duration=_whole(words, "duration_ns", 0, 0, 1 << 62),
            rate=_rate(words, "rate"),
            moments=_whole(words, "moments", 0, 0, 1 << 63),
            threads=_whole(words, "threads", 1, 1, MOST_THREADS),
            depth=_whole(words, "depth", 10, 1, MOST_DEPTH),
            busy=_whole(words, "busy_ns", 0, 0, 1 << 62),
            samples=words.pop("samples", ""),
        )
        for name in words:
            raise ValueError(f'unknown word "{name}"')
        if not order.calls and not order.duration:
            raise ValueError("neither calls nor duration_ns is given")
        return order

    @property
    def interval(self):
        """Time between the intended starts of two operations of one thread."""
        return 1e9 * self.threads / self.rate

    def offset(self, thread):
        """When the first operation of a thread is due: the threads take turns."""
        return 1e9 * thread / self.rate

    def due(self, ns, thread):
        """How many operations of a thread have fallen due so long after the start."""
        return math.floor((ns - self.offset(thread)) / self.interval) + 1

    def slot(self, operation, thread):
        """When the time begins in which an operation of a thread starts, and how long it is: its own period, or a millisecond."""
        begin, length = round(self.offset(thread) + operation * self.interval), int(1e9 / self.rate)
        if length < LEAST_SLOT:
            begin, length = begin - begin % LEAST_SLOT, LEAST_SLOT
        if self.duration:  # the last one may be cut off
            length = min(length, self.duration - begin)
        return begin, length

    def share(self, thread):
        """The most operations that a thread, counted from 0, makes."""
        share = math.inf
        if self.calls:
            share = self.calls // self.threads + (thread < self.calls % self.threads)
        if self.rate and self.duration:
            return min(share, self.due(self.duration - 1, thread))
        if self.samples and not self.calls:
            return MOST_SAMPLES
        return share


def _whole(words, name, otherwise, least, most):
    value = words.pop(name, "")
    if not value:
        return otherwise
    if not value.isdecimal() or not least <= int(value) <= most:
        raise ValueError(f"{name}={value} is not a whole number from {least} to {most}")
    return int(value)


def _rate(words, name):
    value = words.pop(name, "") or "0"
    try:
        rate = float(value)
    except ValueError:
        rate = -1
    if not 0 <= rate <= 1e9:
        raise ValueError(f"{name}={value} is not a number between 0 and 1e9")
    return rate

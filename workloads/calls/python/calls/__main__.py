"""The program."""

import signal
import sys

from calls.server import Server

# Calls in one another, each with the frames of a tracer around it.
sys.setrecursionlimit(100_000)


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
        sys.exit("usage: python3 -m calls PORT")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    Server().listen(int(sys.argv[1]))


main()

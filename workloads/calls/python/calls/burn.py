"""The work of the innermost call."""

import time


def burn(busy):
    """Works so many nanoseconds."""
    begin = time.perf_counter_ns()
    while time.perf_counter_ns() - begin < busy:
        pass

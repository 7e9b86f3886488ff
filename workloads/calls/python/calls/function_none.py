"""The function, without tracing."""

from calls.burn import burn


def monitored_function(busy, depth):
    """Calls itself until depth calls lie in one another. Returns the number of calls, so that none can be left out unseen."""
    if depth > 1:
        return 1 + monitored_function(busy, depth - 1)
    if busy:
        burn(busy)
    return 1


outer_call = monitored_function

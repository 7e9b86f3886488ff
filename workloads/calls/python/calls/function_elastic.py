"""The function, with a span of Elastic APM for each call; an outer call is a transaction."""

import elasticapm

from calls.burn import burn

client = elasticapm.get_client() or elasticapm.Client()


@elasticapm.capture_span("monitored_function")
def monitored_function(busy, depth):
    """Calls itself until depth calls lie in one another. Returns the number of calls."""
    if depth > 1:
        return 1 + monitored_function(busy, depth - 1)
    if busy:
        burn(busy)
    return 1


def outer_call(busy, depth):
    """Makes the calls of one transaction."""
    client.begin_transaction("call")
    calls = monitored_function(busy, depth)
    client.end_transaction("call", "success")
    return calls

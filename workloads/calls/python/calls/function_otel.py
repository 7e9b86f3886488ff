"""The function, with a span of OpenTelemetry for each call."""

from opentelemetry import trace

from calls.burn import burn

tracer = trace.get_tracer("calls")


@tracer.start_as_current_span("monitored_function")
def monitored_function(busy, depth):
    """Calls itself until depth calls lie in one another. Returns the number of calls."""
    if depth > 1:
        return 1 + monitored_function(busy, depth - 1)
    if busy:
        burn(busy)
    return 1


outer_call = monitored_function

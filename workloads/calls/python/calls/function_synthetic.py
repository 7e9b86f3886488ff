"""The function, with known causes in the place of a tracer; see tracers/synthetic-python."""

from synthetic_tracer import traced

from calls.function_none import monitored_function

outer_call = traced(monitored_function)

"""Which function is called: the one that TRACETAX_TRACER names, or the one without tracing."""

import os

match os.environ.get("TRACETAX_TRACER", ""):
    case "otel":
        from calls.function_otel import outer_call
    case "elastic":
        from calls.function_elastic import outer_call
    case "synthetic":
        from calls.function_synthetic import outer_call
    case "":
        from calls.function_none import outer_call
    case other:
        raise SystemExit(f'calls: TRACETAX_TRACER is "{other}": use otel, elastic or synthetic, or none of it')

__all__ = ["outer_call"]

"""The functions' own spans: OpenTelemetry's SDK, set up as this module is imported, where TRACETAX_ATTACH is "own".

Otherwise there are none, and no package of OpenTelemetry is loaded.
"""

import contextlib
import os


def set_up():
    """A function that has work done as a span, of a provider that sends by OTLP with the processor that SPAN_PROCESSOR names.

    A span in no other one is in the trace that Lambda hands on.
    """
    from opentelemetry import trace
    from opentelemetry.propagators.aws.aws_xray_propagator import AwsXRayLambdaPropagator
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

    if os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL") == "http/protobuf":
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    else:
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter

    processor = {"simple": SimpleSpanProcessor, "batch": BatchSpanProcessor}[
        os.environ.get("SPAN_PROCESSOR", "batch")
    ]
    provider = TracerProvider()
    provider.add_span_processor(processor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    tracer = trace.get_tracer("functions")
    lambdas = AwsXRayLambdaPropagator()

    def span(name, attributes=None):
        inside = trace.get_current_span().get_span_context().is_valid
        parent = None if inside else lambdas.extract({})
        return tracer.start_as_current_span(name, context=parent, attributes=attributes)

    return span


if os.environ.get("TRACETAX_ATTACH") == "own":
    span = set_up()
else:

    def span(name, attributes=None):
        return contextlib.nullcontext()

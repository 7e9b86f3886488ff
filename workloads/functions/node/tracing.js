'use strict';
// The functions' own spans: OpenTelemetry's SDK, set up as this module is loaded, where TRACETAX_ATTACH is "own". Otherwise
// there are none, and no package of OpenTelemetry is loaded.

// packageOf is a package as the tracer itself has it: they are not installed beside the program.
function packageOf(name) {
  return require(require.resolve(name, { paths: [process.env.TRACETAX_TRACER_PACKAGES ?? __dirname] }));
}

// setUp is a provider's tracer, which sends by OTLP with the processor that SPAN_PROCESSOR names, and the context of a span that
// is in no other one: the trace that Lambda hands on.
function setUp() {
  const { ROOT_CONTEXT, context, defaultTextMapGetter, trace } = packageOf('@opentelemetry/api');
  const { AWSXRAY_TRACE_ID_HEADER, AWSXRayPropagator } = packageOf('@opentelemetry/propagator-aws-xray');
  const { NodeTracerProvider } = packageOf('@opentelemetry/sdk-trace-node');
  const { BatchSpanProcessor, SimpleSpanProcessor } = packageOf('@opentelemetry/sdk-trace-base');
  const protocol = process.env.OTEL_EXPORTER_OTLP_PROTOCOL === 'grpc' ? 'grpc' : 'proto';
  const { OTLPTraceExporter } = packageOf(`@opentelemetry/exporter-trace-otlp-${protocol}`);

  const Processor = process.env.SPAN_PROCESSOR === 'simple' ? SimpleSpanProcessor : BatchSpanProcessor;
  const provider = new NodeTracerProvider({ spanProcessors: [new Processor(new OTLPTraceExporter())] });
  provider.register();

  const xray = new AWSXRayPropagator();
  const given = () => xray.extract(ROOT_CONTEXT, { [AWSXRAY_TRACE_ID_HEADER]: process.env._X_AMZN_TRACE_ID }, defaultTextMapGetter);
  return { tracer: trace.getTracer('functions'), parent: () => (trace.getActiveSpan() ? context.active() : given()) };
}

const own = process.env.TRACETAX_ATTACH === 'own' ? setUp() : undefined;

// span has work done, which may take a while, as a span of this name.
function span(name, attributes, work) {
  if (own === undefined) {
    return work();
  }
  return own.tracer.startActiveSpan(name, { attributes }, own.parent(), async (current) => {
    try {
      return await work();
    } catch (error) {
      current.recordException(error);
      throw error;
    } finally {
      current.end();
    }
  });
}

module.exports = { span };

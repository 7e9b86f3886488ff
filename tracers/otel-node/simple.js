'use strict';
// What the package's own register.js does, with the simple processor in place of
// the batch processor: OpenTelemetry has no variable for that.

const { NodeSDK } = require('@opentelemetry/sdk-node');
const { getNodeAutoInstrumentations, getResourceDetectors } = require('@opentelemetry/auto-instrumentations-node');
const { SimpleSpanProcessor } = require('@opentelemetry/sdk-trace-base');

const protocol = process.env.OTEL_EXPORTER_OTLP_PROTOCOL === 'grpc' ? 'grpc' : 'proto';
const { OTLPTraceExporter } = require(`@opentelemetry/exporter-trace-otlp-${protocol}`);

const sdk = new NodeSDK({
  instrumentations: getNodeAutoInstrumentations(),
  resourceDetectors: getResourceDetectors(),
  spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter())],
});
sdk.start();

const shutdown = () => sdk.shutdown().catch((err) => console.error('tracing:', err));
process.on('SIGTERM', shutdown);
process.once('beforeExit', shutdown);

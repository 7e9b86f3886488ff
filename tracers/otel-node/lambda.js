'use strict';
// What OpenTelemetry's own layer for Lambda does, and its packages alone do not.

if (process.env.AWS_LAMBDA_FUNCTION_NAME) {
  const { defaultTextMapGetter, propagation, trace } = require('@opentelemetry/api');
  const { AwsLambdaInstrumentation } = require('@opentelemetry/instrumentation-aws-lambda');
  const { AWSXRAY_TRACE_ID_HEADER, AWSXRayPropagator } = require('@opentelemetry/propagator-aws-xray');

  // The trace that an invocation is part of stands in a variable, in X-Ray's words. In the event of a direct invocation is none.
  const xray = new AWSXRayPropagator();
  const original = propagation.extract;
  propagation.extract = function (context, carrier, getter) {
    const found = original.call(this, context, carrier, getter);
    const given = { [AWSXRAY_TRACE_ID_HEADER]: process.env._X_AMZN_TRACE_ID };
    return trace.getSpanContext(found) || !given[AWSXRAY_TRACE_ID_HEADER] ? found : xray.extract(found, given, defaultTextMapGetter);
  };

  // The instrumentation flushes before the answer the provider that it has been given, which is before there is the SDK's.
  const end = AwsLambdaInstrumentation.prototype._endInvocationSpanAndFlush;
  AwsLambdaInstrumentation.prototype._endInvocationSpanAndFlush = function (...args) {
    const proxy = trace.getTracerProvider();
    const provider = proxy.getDelegate?.() ?? proxy;
    this._traceForceFlusher ??= provider.forceFlush?.bind(provider);
    return end.apply(this, args);
  };
}

'use strict';
// The function, with a span of OpenTelemetry for each call.

const { burn } = require('./burn');
const { packageOf } = require('./packages');

const { trace } = packageOf('@opentelemetry/api');
const tracer = trace.getTracer('calls');

// monitoredFunction calls itself until depth calls lie in one another. It returns the
// number of calls.
function monitoredFunction(busy, depth) {
  return tracer.startActiveSpan('monitoredFunction', (span) => {
    try {
      if (depth > 1) {
        return 1 + monitoredFunction(busy, depth - 1);
      }
      if (busy > 0) {
        burn(busy);
      }
      return 1;
    } finally {
      span.end();
    }
  });
}

module.exports = { outerCall: monitoredFunction };

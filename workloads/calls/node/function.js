'use strict';
// Which function is called: the one that TRACETAX_TRACER names, or the one without tracing.

const tracer = process.env.TRACETAX_TRACER || 'none';
if (!['none', 'otel', 'elastic', 'synthetic'].includes(tracer)) {
  throw new Error(`TRACETAX_TRACER is "${tracer}": use otel, elastic or synthetic, or none of it`);
}

module.exports = require(`./function-${tracer}`);

'use strict';
// Which function is called: the one that TRACETAX_TRACER names, or the one without tracing.

const tracer = process.env.TRACETAX_TRACER || 'none';
if (!['none', 'otel', 'elastic'].includes(tracer)) {
  throw new Error(`TRACETAX_TRACER is "${tracer}": use otel or elastic, or none of it`);
}

module.exports = require(`./function-${tracer}`);

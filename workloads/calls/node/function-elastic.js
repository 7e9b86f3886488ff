'use strict';
// The function, with a span of Elastic APM for each call; an outer call is a transaction.

const { burn } = require('./burn');
const { packageOf } = require('./packages');

const apm = packageOf('elastic-apm-node');

// monitoredFunction calls itself until depth calls lie in one another. It returns the
// number of calls.
function monitoredFunction(busy, depth) {
  const span = apm.startSpan('monitoredFunction');
  try {
    if (depth > 1) {
      return 1 + monitoredFunction(busy, depth - 1);
    }
    if (busy > 0) {
      burn(busy);
    }
    return 1;
  } finally {
    span?.end(); // there is none where nothing is recorded
  }
}

function outerCall(busy, depth) {
  const transaction = apm.startTransaction('call', 'custom');
  const calls = monitoredFunction(busy, depth);
  transaction?.end();
  return calls;
}

module.exports = { outerCall };

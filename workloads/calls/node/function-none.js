'use strict';
// The function, without tracing.

const { burn } = require('./burn');

// monitoredFunction calls itself until depth calls lie in one another. It returns the
// number of calls, so that none can be left out unseen.
function monitoredFunction(busy, depth) {
  if (depth > 1) {
    return 1 + monitoredFunction(busy, depth - 1);
  }
  if (busy > 0) {
    burn(busy);
  }
  return 1;
}

module.exports = { outerCall: monitoredFunction };

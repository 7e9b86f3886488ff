'use strict';
// The function, with known causes in the place of a tracer; see tracers/synthetic-node.

const { packageOf } = require('./packages');
const { outerCall } = require('./function-none');

const { traced } = packageOf('./synthetic.js');

module.exports = { outerCall: traced(outerCall) };

'use strict';
// The outermost handler: it calls the function that the platform names, and says how long the call took. A tracer that wraps
// handlers finds the function's own by the same variables.

const path = require('node:path');

const named = process.env.ORIG_HANDLER ?? process.env._HANDLER;
const at = named.lastIndexOf('.');
const functions = require(path.resolve(named.slice(0, at)));
const name = named.slice(at + 1);

async function handler(event, context) {
  const begin = process.hrtime.bigint();
  const answer = await functions[name](event, context);
  const took = Number(process.hrtime.bigint() - begin);
  return { 'tracetax-server-timing': `benchmark;dur=${(took / 1e6).toFixed(6)}`, answer };
}

module.exports = { handler };

'use strict';
// The work of the innermost call.

const { performance } = require('node:perf_hooks');

// burn works so many milliseconds.
function burn(busy) {
  for (const begin = performance.now(); performance.now() - begin < busy; );
}

module.exports = { burn };

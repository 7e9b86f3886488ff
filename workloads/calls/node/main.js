'use strict';
// Recursive calls, made as they are ordered over TCP on loopback (docs/self-driving.md).
//
//	node --expose-gc main.js PORT
//
// The program is there to be traced: TRACETAX_TRACER names the module that the function
// is taken from. Without it no tracer is loaded.

const { listen } = require('./server');

if (!/^\d{1,5}$/.test(process.argv[2] ?? '')) {
  console.error('usage: node --expose-gc main.js PORT');
  process.exit(2);
}
listen(Number(process.argv[2]));

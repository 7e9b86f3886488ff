'use strict';
// Wakes the main thread at a time, from another thread. A timer would do, but for profilers: their signals end the wait for it, so
// what it begins would begin when a sample was just taken, and what lies between two samples were never seen.

const { Worker, isMainThread, parentPort } = require('node:worker_threads');

// The other thread has no tracer: what is loaded before a program is loaded in each of its threads, unless nothing is passed on.
function begin() {
  const worker = new Worker(__filename, { execArgv: [], env: {} });
  worker.unref();
  return worker;
}

let worker;

// prepare begins the thread, which takes its time.
function prepare() {
  worker ??= begin();
}

// sleep waits so many milliseconds; one wait at a time.
function sleep(ms) {
  return new Promise((resolve) => {
    worker.once('message', resolve);
    worker.postMessage(ms);
  });
}

if (!isMainThread) {
  const nobody = new Int32Array(new SharedArrayBuffer(4)); // who wakes the thread early
  parentPort.on('message', (ms) => {
    Atomics.wait(nobody, 0, 0, ms);
    parentPort.postMessage(null);
  });
}

module.exports = { prepare, sleep };

'use strict';
// No tracer, but known causes in its place: what each function burns is asked for by a variable, in milliseconds.

const { performance } = require('node:perf_hooks');

const milliseconds = (variable) => {
  const text = process.env[variable] ?? '0';
  const value = Number(text);
  if (!(value >= 0)) {
    throw new Error(`${variable} is "${text}": use a number of milliseconds`);
  }
  return value;
};
const serialising = milliseconds('SYNTHETIC_SERIALISING');
const clock = milliseconds('SYNTHETIC_CLOCK');
const metadata = milliseconds('SYNTHETIC_METADATA');

// burn works so many milliseconds.
function burn(time) {
  if (time > 0) {
    for (const begin = performance.now(); performance.now() - begin < time; );
  }
}

function serialise() {
  burn(serialising);
}

function readClock() {
  burn(clock);
}

function describe() {
  burn(metadata);
}

function begin() {}

function end() {}

// More functions at one call than V8 inlines: a profiler that comes late sees what was inlined as its caller.
const steps = [begin, serialise, readClock, describe, end];

// traced is the function with the causes before it; it runs within a frame of the tracer, as wrappers of tracers do.
function traced(program) {
  return function wrapper(...args) {
    for (const step of steps) {
      step();
    }
    return program(...args);
  };
}

module.exports = { traced };

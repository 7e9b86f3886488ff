'use strict';
// No tracer, but known causes in its place: what each function burns is asked for by a variable, in milliseconds.

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

// used is the CPU time of the process, in milliseconds.
function used() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

// burn uses so many milliseconds of CPU time.
function burn(time) {
  if (time > 0) {
    for (const end = used() + time; used() < end; );
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

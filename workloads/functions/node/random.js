'use strict';
// Random numbers from a seed, which JavaScript's own have not.

// generator is a function that gives the next number of 0 to below 1 (mulberry32).
function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// sample is so many different whole numbers below an end.
function sample(next, count, end) {
  const drawn = new Set();
  while (drawn.size < count) {
    drawn.add(Math.floor(next() * end));
  }
  return [...drawn];
}

module.exports = { generator, sample };

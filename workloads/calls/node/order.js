'use strict';
// What is asked for: the words of a "prepare" line.

const MOST_DEPTH = 1024;
const MOST_SAMPLES = 2 ** 24; // where the number of operations is not ordered
const LEAST_SLOT = 1; // ms: operations that fall due within it start together

function wordsOf(line) {
  const words = new Map();
  for (const word of line.split(' ').filter(Boolean)) {
    const equals = word.indexOf('=');
    const name = word.slice(0, equals);
    if (equals < 1 || words.has(name)) {
      throw new Error(`the word "${word}" is not of the form name=value, or stands there twice`);
    }
    words.set(name, word.slice(equals + 1));
  }
  return words;
}

function take(words, name) {
  const value = words.get(name) ?? '';
  words.delete(name);
  return value;
}

function whole(words, name, otherwise, least, most) {
  const value = take(words, name);
  if (value === '') {
    return otherwise;
  }
  const n = Number(value);
  if (!/^\d+$/.test(value) || n < least || n > most) {
    throw new Error(`${name}=${value} is not a whole number from ${least} to ${most}`);
  }
  return n;
}

function rate(words, name) {
  const value = take(words, name);
  const n = Number(value);
  if (!(n >= 0 && n <= 1e9)) {
    throw new Error(`${name}=${value} is not a number between 0 and 1e9`);
  }
  return n;
}

function seed(words, name) {
  const value = take(words, name) || '0';
  if (!/^\d+$/.test(value)) {
    throw new Error(`${name}=${value} is not a whole number from 0`);
  }
  return BigInt(value);
}

// due is how many operations have fallen due so many milliseconds after the start.
function due(order, ms) {
  return Math.floor((ms * order.rate) / 1e3) + 1;
}

// slot is when the time begins in which an operation starts, and how long it is, in milliseconds: its own period or, of more
// frequent ones, a millisecond.
function slot(order, operation) {
  let begin = (operation * 1e3) / order.rate;
  let length = 1e3 / order.rate;
  if (length < LEAST_SLOT) {
    begin = Math.floor(begin / LEAST_SLOT + 1e-6) * LEAST_SLOT;
    length = LEAST_SLOT;
  }
  return { begin, length: order.duration ? Math.min(length, order.duration - begin) : length }; // the last one may be cut off
}

// random gives numbers from 0 to 1: a linear congruential generator (Knuth, The Art of Computer Programming, 3.3.4, table 1), of
// which the upper half is taken.
function random(seed) {
  let state = BigInt.asUintN(64, seed);
  return () => {
    state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
    return Number(state >> 32n) / 2 ** 32;
  };
}

// share is the most operations that are made.
function share(order) {
  const share = order.calls || Infinity;
  if (order.rate && order.duration) {
    return Math.min(share, due(order, order.duration - 1e-6));
  }
  return order.samples && !order.calls ? MOST_SAMPLES : share;
}

// parse reads the words that follow "prepare". Times are in milliseconds.
function parse(line) {
  const words = wordsOf(line);
  words.delete('seed'); // no operation is left to chance
  const order = {
    calls: whole(words, 'calls', 0, 0, Number.MAX_SAFE_INTEGER), // the most; 0 is no limit
    duration: whole(words, 'duration_ns', 0, 0, Number.MAX_SAFE_INTEGER) / 1e6, // the longest time; 0 is no limit
    rate: rate(words, 'rate'), // operations/s; 0 is as fast as it goes
    moments: seed(words, 'moments'), // of the moments at which operations start at a rate; 0n is the beginning of each slot
    depth: whole(words, 'depth', 10, 1, MOST_DEPTH), // calls in one another that make one operation
    busy: whole(words, 'busy_ns', 0, 0, Number.MAX_SAFE_INTEGER) / 1e6, // that the innermost call takes at least
    samples: take(words, 'samples'), // prefix of the files that every duration goes to; '' keeps none
    batches: take(words, 'batches'), // file of the heap's course; '' keeps none
  };
  const threads = whole(words, 'threads', 1, 1, Number.MAX_SAFE_INTEGER);
  if (threads !== 1) {
    throw new Error(`threads=${threads}: JavaScript runs on one thread, and so do the calls here`);
  }
  for (const name of words.keys()) {
    throw new Error(`unknown word "${name}"`);
  }
  if (!order.calls && !order.duration) {
    throw new Error('neither calls nor duration_ns is given');
  }
  order.share = share(order);
  return order;
}

module.exports = { parse, due, slot, random };

'use strict';
// Orders, a line each, and the answers to them.

const net = require('node:net');
const readline = require('node:readline');
const v8 = require('node:v8');
const { Stretch } = require('./stretch');
const { parse } = require('./order');

let stretch = null; // null before the first "prepare"

function prepared() {
  if (!stretch) {
    throw new Error('no order was prepared');
  }
  return stretch;
}

function live() {
  if (!globalThis.gc) {
    return 'live'; // started without --expose-gc
  }
  globalThis.gc();
  return `live heap_live_bytes=${v8.getHeapStatistics().used_heap_size}`;
}

async function carryOut(line) {
  const [verb] = line.split(' ', 1);
  switch (verb) {
    case 'prepare': {
      const order = parse(line.slice(verb.length));
      stretch = null; // its arrays make room for the new ones
      stretch = new Stretch(order);
      return 'prepared moments=1';
    }
    case 'run':
      return `done ${await prepared().make()}`;
    case 'write':
      return `written samples=${prepared().write()}`;
    case 'live':
      return live();
    case 'stop':
      return 'bye';
    default:
      throw new Error(`unknown order "${verb}"`);
  }
}

async function answer(line) {
  try {
    return await carryOut(line);
  } catch (err) {
    return `error ${String(err).replace(/[^ -~]+/g, ' ')}`;
  }
}

// talk returns whether the work is over. A connection without a line only asked
// whether anybody listens.
async function talk(socket) {
  let asked = false;
  socket.on('error', (err) => asked && console.error('calls: the connection broke:', err.message));
  for await (const line of readline.createInterface({ input: socket, crlfDelay: Infinity })) {
    asked = true;
    socket.write(`${await answer(line)}\n`);
    if (line === 'stop') {
      break;
    }
  }
  socket.destroySoon(); // once the answer is written
  return asked;
}

// listen takes orders until the work is over: at "stop", or where a connection ends on
// which a line came. Then nothing is left to do, and the process ends by itself, so
// that a tracer can send what it holds.
function listen(port) {
  const sockets = new Set();
  const server = net.createServer(async (socket) => {
    sockets.add(socket);
    if (await talk(socket)) {
      server.close();
    }
    sockets.delete(socket);
  });
  server.listen(port, '127.0.0.1');
  process.once('SIGTERM', () => {
    stretch?.cancel();
    server.close();
    sockets.forEach((socket) => socket.destroy());
  });
}

module.exports = { listen };

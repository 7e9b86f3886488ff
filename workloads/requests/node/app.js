'use strict';
// Four of TechEmpower's tests in plain Node: node:http, and pg's pool.
//
//   PORT          on 127.0.0.1
//   DATABASE_URL  of the PostgreSQL that has the table world

const http = require('node:http');
const { Pool } = require('pg');

const ROWS = 10000;
const MOST_QUERIES = 500;

// The pool keeps its connections: a run opens none while it is measured.
const pool = new Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  idleTimeoutMillis: 0,
});
pool.on('error', (err) => console.error('database:', err.message));

const random = () => 1 + Math.floor(Math.random() * ROWS);

// ids are rows that differ: one that is changed twice at the same time would be
// answered with two numbers.
function ids(count) {
  const drawn = new Set();
  while (drawn.size < count) {
    drawn.add(random());
  }
  return [...drawn];
}

const findSeveral = (count) => Promise.all(ids(count).map((id) => find(id)));

async function find(id, database = pool) {
  const { rows } = await database.query({
    name: 'find',
    text: 'SELECT id, randomnumber AS "randomNumber" FROM world WHERE id = $1',
    values: [id],
  });
  return rows[0];
}

// update reads rows and gives each a new number, in one transaction; in the order of
// their ids, so that no two requests wait for each other's rows. A connection on which
// something failed is closed, which takes its transaction back.
async function update(count) {
  const client = await pool.connect();
  let failure;
  try {
    await client.query('BEGIN');
    const rows = [];
    for (const id of ids(count).sort((a, b) => a - b)) {
      const row = await find(id, client);
      row.randomNumber = random();
      await client.query({
        name: 'update',
        text: 'UPDATE world SET randomnumber = $1 WHERE id = $2',
        values: [row.randomNumber, row.id],
      });
      rows.push(row);
    }
    await client.query('COMMIT');
    return rows;
  } catch (err) {
    failure = err;
    throw err;
  } finally {
    client.release(failure);
  }
}

// count is the number of rows that is asked for: 1 to 500, and 1 for what is not a number.
function count(parameters) {
  const n = Number.parseInt(parameters.get('queries'), 10);
  return Math.min(Math.max(n || 1, 1), MOST_QUERIES);
}

const routes = {
  '/json': () => ({ message: 'Hello, World!' }),
  '/db': () => find(random()),
  '/queries': (parameters) => findSeveral(count(parameters)),
  '/updates': (parameters) => update(count(parameters)),
  '/healthz': () => 'ok',
};

function answer(response, status, value) {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    Server: 'node',
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

const server = http.createServer(async (request, response) => {
  const [path, query] = request.url.split('?', 2);
  const route = routes[path];
  if (!route) {
    answer(response, 404, 'not found');
    return;
  }
  try {
    answer(response, 200, await route(new URLSearchParams(query)));
  } catch (err) {
    console.error(`${path}: ${err.message}`);
    answer(response, 500, 'failed');
  }
});

// connect opens all of the pool's connections.
async function connect() {
  const clients = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  clients.forEach((client) => client.release());
}

// The process ends by itself when nothing is left to do, so that a tracer can send
// what it holds.
function stop() {
  server.close(() => pool.end());
  server.closeIdleConnections();
}

process.once('SIGTERM', stop);
process.once('SIGINT', stop);

connect().then(
  () => server.listen(Number(process.env.PORT), '127.0.0.1'),
  (err) => {
    console.error('database:', err.message);
    process.exitCode = 1;
    pool.end();
  },
);

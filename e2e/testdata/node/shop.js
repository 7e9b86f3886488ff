'use strict';
// A service as Express's users write it: one route.
const express = require('express');

const app = express();
app.get('/items', (req, res) => res.json({ items: [2] }));
const server = app.listen(Number(process.argv[2]), '127.0.0.1');
process.on('SIGTERM', () => server.close());

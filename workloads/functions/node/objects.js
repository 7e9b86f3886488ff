'use strict';
// The object store, whose address is in OBJECTS.

const { Client } = require('minio');

const [endPoint, port] = process.env.OBJECTS.split(':');

const client = new Client({
  endPoint,
  port: Number(port),
  useSSL: false,
  accessKey: process.env.OBJECTS_ACCESS_KEY,
  secretKey: process.env.OBJECTS_SECRET_KEY,
  region: 'us-east-1',
});

module.exports = { client };

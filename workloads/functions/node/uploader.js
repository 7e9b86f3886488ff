'use strict';
// uploader: a file from a web server, put into the object store.

const fs = require('node:fs');
const path = require('node:path');
const { Readable } = require('node:stream');
const { pipeline } = require('node:stream/promises');

const { inFolder } = require('./folder');
const { client } = require('./objects');
const { span } = require('./tracing');

// download comes to its end when the whole file is there.
async function download(url, file) {
  const answer = await fetch(url);
  if (!answer.ok) {
    throw new Error(`${url}: ${answer.status}`);
  }
  await span('streamToPromise', {}, () => pipeline(Readable.fromWeb(answer.body), fs.createWriteStream(file)));
}

async function handler({ size }) {
  const key = `payload-${size}`;
  return span('handler', { size }, () =>
    inFolder(async (folder) => {
      const file = path.join(folder, key);
      await span('download', {}, () => download(`${process.env.PAYLOADS}/${size}`, file));
      await span('upload', {}, () => client.fPutObject('uploads', key, file));
      return { key };
    }),
  );
}

module.exports = { handler };

'use strict';
// thumbnailer: a picture from the object store, made small, and put back.

const { buffer } = require('node:stream/consumers');
const sharp = require('sharp');

const { client } = require('./objects');
const { span } = require('./tracing');

async function handler({ key, width, height }) {
  return span('handler', { width, height }, async () => {
    const picture = await span('download', {}, async () => buffer(await client.getObject('inputs', key)));
    const small = await sharp(picture).resize(width, height, { fit: 'inside' }).jpeg({ quality: 75 }).toBuffer({ resolveWithObject: true });
    await span('upload', {}, () =>
      client.putObject('outputs', 'thumbnail.jpg', small.data, small.data.length, { 'content-type': 'image/jpeg' }),
    );
    return { key: 'thumbnail.jpg', width: small.info.width, height: small.info.height };
  });
}

module.exports = { handler };

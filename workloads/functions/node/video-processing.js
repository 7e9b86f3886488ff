'use strict';
// video-processing: a film from the object store, with a watermark or as a GIF, and put back.

const { execFile } = require('node:child_process');
const path = require('node:path');
const { promisify } = require('node:util');

const { inFolder } = require('./folder');
const { client } = require('./objects');
const { span } = require('./tracing');

const EXACT = ['-threads', '1', '-fflags', '+bitexact', '-flags', '+bitexact'];
const run = promisify(execFile);

const callFFmpeg = (args) =>
  span('call_ffmpeg', {}, () => run(process.env.FFMPEG, ['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', ...args]));

async function watermark(film, seconds, folder) {
  const out = path.join(folder, 'watermark.mp4');
  const overlay = 'overlay=(main_w-overlay_w)/2:(main_h-overlay_h)/2';
  await callFFmpeg(['-threads', '1', '-i', film, '-i', process.env.WATERMARK, '-t', `${seconds}`, '-filter_complex', overlay, ...EXACT, out]);
  return out;
}

async function toGIF(film, seconds, folder) {
  const out = path.join(folder, 'film.gif');
  const scale = 'fps=10,scale=320:-1:flags=lanczos,split[a][b];[a]palettegen[p];[b][p]paletteuse';
  await callFFmpeg(['-threads', '1', '-t', `${seconds}`, '-i', film, '-filter_complex', scale, ...EXACT, out]);
  return out;
}

const operations = { watermark: ['watermark', watermark], gif: ['to_gif', toGIF] };

async function handler({ key, operation, seconds }) {
  return span('handler', { operation, seconds }, () =>
    inFolder(async (folder) => {
      const film = path.join(folder, 'input.mp4');
      await span('download', {}, () => client.fGetObject('inputs', key, film));
      const [name, work] = operations[operation];
      const out = await span('process', {}, () => span(name, {}, () => work(film, seconds, folder)));
      await span('upload', {}, () => client.fPutObject('outputs', path.basename(out), out));
      return { key: path.basename(out) };
    }),
  );
}

module.exports = { handler };

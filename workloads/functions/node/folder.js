'use strict';
// Folders for the time of one piece of work.

const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');

// inFolder has work done in a folder of its own.
async function inFolder(work) {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'work-'));
  try {
    return await work(folder);
  } finally {
    await fs.rm(folder, { recursive: true });
  }
}

module.exports = { inFolder };

'use strict';
// dynamic-html: a page with so many random numbers, from a template.

const fs = require('node:fs');
const path = require('node:path');
const mustache = require('mustache');

const { generator, sample } = require('./random');
const { span } = require('./tracing');

const template = fs.readFileSync(path.join(__dirname, 'templates', 'page.html'), 'utf8');
mustache.parse(template);

async function handler({ user, size, seed }) {
  return span('handler', { size }, () =>
    mustache.render(template, { user, now: new Date().toISOString(), numbers: sample(generator(seed), size, 1_000_000) }),
  );
}

module.exports = { handler };

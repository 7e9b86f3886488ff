'use strict';
// Writes a line on stderr for each library of the program that is instrumented, when the
// program loads it; tracetax reads them. It changes nothing that is done.

const path = require('path');
const { InstrumentationBase } = require('@opentelemetry/instrumentation');

const packages = path.dirname(__dirname) + path.sep; // of the tracer itself: what its exporters load
const said = new Set();
const original = InstrumentationBase.prototype._onRequire;

if (typeof original === 'function') {
  InstrumentationBase.prototype._onRequire = function (module, exports, name, baseDir) {
    const answer = original.apply(this, arguments);
    const patched = module.moduleExports !== undefined || (module.files ?? []).some((file) => file.moduleExports !== undefined);
    const own = baseDir ? !baseDir.startsWith(packages) : name === 'http';
    if (patched && own && !said.has(module.name)) {
      said.add(module.name);
      process.stderr.write(`tracetax: instrumented ${module.name}\n`);
    }
    return answer;
  };
}

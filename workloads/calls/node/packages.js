'use strict';
// The packages of the tracer, which are not installed beside the program.

// packageOf is a package as the tracer itself has it: of OpenTelemetry's API and
// Elastic's agent there must be one in a process.
function packageOf(name) {
  return require(require.resolve(name, { paths: [process.env.TRACETAX_TRACER_PACKAGES ?? __dirname] }));
}

module.exports = { packageOf };

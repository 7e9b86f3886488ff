'use strict';
// A client of Lambda's Runtime API: one invocation after the other, over one connection.
//
//	node runtime.js FILE.NAME
//
// The handler is the function NAME of the file FILE.js.

const http = require('node:http');
const path = require('node:path');

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':');

// ask makes a request of the Runtime API, and gives its answer with the whole body.
function ask(method, route, body) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = http.request({ agent, host, port, method, path: `/2018-06-01/runtime/${route}`, headers }, (answer) => {
      const parts = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body: Buffer.concat(parts).toString() }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

const told = (error) =>
  JSON.stringify({
    errorType: error?.name ?? 'Error',
    errorMessage: error?.message ?? String(error),
    trace: (error?.stack ?? '').split('\n'),
  });

// load is the function that FILE.NAME names.
function load(handler) {
  const at = handler.lastIndexOf('.');
  const found = require(path.resolve(handler.slice(0, at)))[handler.slice(at + 1)];
  if (typeof found !== 'function') {
    throw new TypeError(`${handler} is no function`);
  }
  return found;
}

// contextOf is what a handler is told of its invocation.
function contextOf(headers) {
  const { AWS_LAMBDA_FUNCTION_NAME: functionName, AWS_LAMBDA_FUNCTION_VERSION: functionVersion, AWS_LAMBDA_FUNCTION_MEMORY_SIZE: memoryLimitInMB } = process.env;
  return {
    functionName,
    functionVersion,
    memoryLimitInMB,
    awsRequestId: headers['lambda-runtime-aws-request-id'],
    invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
    getRemainingTimeInMillis: () => Number(headers['lambda-runtime-deadline-ms']) - Date.now(),
  };
}

async function main(name) {
  let handler;
  try {
    handler = load(name);
  } catch (error) {
    await ask('POST', 'init/error', told(error));
    throw error;
  }
  for (;;) {
    const event = await ask('GET', 'invocation/next');
    if (event.status !== 200) {
      throw new Error(`asking for an invocation: ${event.status} ${event.body}`);
    }
    const id = event.headers['lambda-runtime-aws-request-id'];
    process.env._X_AMZN_TRACE_ID = event.headers['lambda-runtime-trace-id'] ?? '';
    let answer;
    try {
      answer = ['response', JSON.stringify((await handler(JSON.parse(event.body), contextOf(event.headers))) ?? null)];
    } catch (error) {
      answer = ['error', told(error)];
    }
    await ask('POST', `invocation/${id}/${answer[0]}`, answer[1]);
  }
}

main(process.argv[2]).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});

// A front that answers 502 until the program behind it listens, two seconds after the start. The program traces by itself,
// where OTLP names a receiver: one span an operation, as the JSON of OTLP.
const http = require('node:http')
const crypto = require('node:crypto')

const [port, behind] = process.argv.slice(2).map(Number)
const receiver = process.env.OTLP
let spans = []

function send(done) {
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: spans.splice(0) }] }] })
  const request = http.request(`http://${receiver}/v1/traces`, { method: 'POST', headers: { 'content-type': 'application/json' } })
  request.on('response', response => response.resume().on('end', done)).on('error', done)
  request.end(body)
}

function trace(header) {
  const [, traceId, parentSpanId] = (header || '').split('-')
  const now = `${Date.now()}000000`
  spans.push({
    traceId: traceId || crypto.randomBytes(16).toString('hex'), spanId: crypto.randomBytes(8).toString('hex'), parentSpanId,
    name: 'GET /', kind: 2, startTimeUnixNano: now, endTimeUnixNano: now
  })
}

const program = http.createServer((request, response) => {
  if (receiver) trace(request.headers.traceparent)
  response.end('ok')
})
const front = http.createServer((request, response) => {
  const passed = http.request({ host: '127.0.0.1', port: behind, path: request.url, headers: request.headers }, answer => {
    response.writeHead(answer.statusCode)
    answer.pipe(response)
  })
  passed.on('error', () => response.writeHead(502).end('bad gateway'))
  passed.end()
})

front.listen(port, '127.0.0.1')
setTimeout(() => program.listen(behind, '127.0.0.1'), 2000)
setInterval(() => spans.length && send(() => {}), 200).unref()
process.on('SIGTERM', () => {
  front.close()
  program.close()
  spans.length ? send(() => process.exit(0)) : process.exit(0)
})

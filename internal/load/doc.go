// Package load makes operations happen and times them: open and closed loop
// over HTTP/1.1 and, for unary gRPC calls, HTTP/2, each plain or over TLS, with
// every latency counted from the moment the operation was meant to start. It knows nothing of tracing, of runs, and of statistics.
//
// # What is timed
//
// Each operation has an intended start: in an open loop the schedule's, in a
// closed loop the moment a connection was free for it. Its latency reaches from
// there to the last byte of the response. So a server that stops for a second
// is seen by every operation that was due in that second, not just by those
// that happened to be under way (no coordinated omission).
//
// Lag is the part of that time which is the generator's own fault. It is the
// time from the intended start until the generator noticed it, plus, where the
// operation then had to wait for a connection because all of them were busy,
// the time from a connection becoming free to the write. The wait for a busy
// server itself is the server's fault: it is in the latency and not in the lag.
// Where a connection has to be opened first, the lag ends when that is asked
// of the kernel.
//
// In an open loop on Linux the last byte's time is the kernel's, so that how late
// the generator is in reading it is in neither.
//
// A task may ask for a generator that is late (Task.Late): operations then begin
// so much after their intended starts, and their lags and latencies say so.
//
// # What is counted
//
// Intended = Completed + Failed + TimedOut, always. Started is how many of them
// reached the kernel, at least in part; the others were refused a connection,
// or none came free before their time-out. The latency histogram holds
// the completed ones and, at the time they were given up, those timed out; the
// lag histogram holds every intended one. Errors says what the failed ones
// failed of; its values add up to Failed.
//
// The time-out counts from the intended start too. After the duration no
// operation falls due any more; those already due are still sent and waited for
// until their time-out.
//
// A request that went out on a kept connection just as the server closed it,
// with no byte of a response, is sent once more on a new connection if its
// method is idempotent, as browsers do (RFC 9110, section 9.2.2). So is, once, a
// gRPC call that the server says it has not looked at. Resent counts these.
//
// # Steps
//
// An operation may be several requests (Request.Then), with values of an answer in those that follow. It counts as one: its
// intended start is that of the first request, its latency reaches to the last byte of the last answer, and it fails with any
// of them. What the generator needs between two requests is in the latency. The schedule is that of operations, as ever.
//
// # How it is made
//
// An event loop (loop) knows sockets, deadlines and books. What is spoken on a
// connection is a session's: HTTP/1.1 (http1) or HTTP/2 (http2Session), with TLS
// (tlsLayer) between it and the socket where there is any. Which operation is due
// is a feeder's. The engine over net/http (client) is for systems without epoll.
package load

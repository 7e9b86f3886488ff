// Counting the results of operations.

package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/quote"
	"github.com/tracetax/tracetax/internal/record"
)

// tally counts the operations of one thread. Its methods do not allocate, except for the first failure of each kind.
type tally struct {
	intended, started, completed, failed, timedOut uint64
	connected, used, resent                        uint64
	identified, sampled                            uint64 // of the started: those whose traces got ids from the generator; those to be sampled
	sent, received                                 uint64 // bytes
	errors                                         map[string]uint64
	answers                                        map[int]uint64 // as expected, by status, if several are
	redirects                                      map[string]uint64
	bodies                                         uint64        // bytes of the bodies of answers as expected
	putOff                                         uint64        // of the completed: an answer seems to have waited for a delayed acknowledgement
	parts                                          []record.Part // of a mix, by operation.part
	whole                                          record.Part   // in the place of a part, if there are none
	latency, lag                                   *hdrhistogram.Histogram
	timings                                        timings       // from the Server-Timing of right answers
	first, last                                    time.Duration // first intended start and last end, since the start of the task
	pending                                        pending
}

func newTally(t load.Task) *tally {
	var parts []record.Part
	if len(t.Operations) > 1 {
		for _, r := range t.Operations {
			parts = append(parts, record.Part{Operation: r.Name})
		}
	}
	return &tally{
		parts:   parts,
		pending: pendingOf(t),
		errors:  map[string]uint64{},
		answers: map[int]uint64{}, redirects: map[string]uint64{},
		latency: record.NewHistogram(),
		lag:     record.NewHistogram(),
		timings: timings{},
	}
}

// due counts an operation that fell due at the given time.
func (t *tally) due(at time.Duration) {
	if t.intended == 0 {
		t.first = at
	}
	t.intended++
	t.pending.fall(at)
}

// late records the generator's own lateness with one operation.
func (t *tally) late(by time.Duration) { enter(t.lag, by) }

// start counts an operation whose request has been sent.
func (t *tally) start(k *walk) {
	t.started++
	part := t.part(k)
	part.Started++
	if !k.op.identified() {
		return
	}
	t.identified++
	if k.op.tracing.IsSampled(k.traced) {
		t.sampled++
		part.Sampled++
	}
}

// part returns the part of a mix that counts an operation; without a mix, one that is not reported.
func (t *tally) part(k *walk) *record.Part {
	if len(t.parts) == 0 {
		return &t.whole
	}
	return &t.parts[k.op.part]
}

// complete counts an operation answered as expected.
func (t *tally) complete(intended, now time.Duration) {
	t.completed++
	t.over(now)
	enter(t.latency, now-intended)
}

// answered counts the answer to a completed operation: its part of a mix, its status, if several are right, its bodies, and
// their Server-Timing.
func (t *tally) answered(k *walk, status int) {
	t.bodies += k.body
	if k.putOff {
		t.putOff++
	}
	t.part(k).Completed++
	t.timings.tell(k.timing)
	if len(k.step().status) > 1 {
		t.answers[status]++
	}
}

// timeOut counts an operation given up: its latency is at least the recorded one.
func (t *tally) timeOut(intended, now time.Duration) {
	t.timedOut++
	t.over(now)
	enter(t.latency, now-intended)
}

// mostKinds bounds the kinds of failures: a server can add some, by the targets of its redirects.
const mostKinds = 32

// fail counts an operation answered wrongly or not at all.
func (t *tally) fail(kind string, now time.Duration) {
	t.failed++
	t.over(now)
	count(t.errors, kind)
}

// redirected counts a redirect, if the task names no right status.
func (t *tally) redirected(o *operation, p *response) {
	if len(o.status) == 0 && p.redirects() {
		count(t.redirects, p.told())
	}
}

// count counts a kind, up to a bound of kinds.
func count(kinds map[string]uint64, kind string) {
	if _, known := kinds[kind]; !known && len(kinds) >= mostKinds {
		kind = "other"
	}
	kinds[kind]++
}

// over counts the end of an operation, with any result.
func (t *tally) over(now time.Duration) {
	t.last = max(t.last, now)
	t.pending.end(now)
}

// enter records d in h; values beyond the histogram's ends count as its ends.
func enter(h *hdrhistogram.Histogram, d time.Duration) {
	v := min(max(int64(d), h.LowestTrackableValue()), h.HighestTrackableValue())
	// Cannot fail: v is within the limits.
	_ = h.RecordValue(v)
}

// add adds the counts of another thread.
func (t *tally) add(o *tally) {
	if o.intended > 0 && (t.intended == 0 || o.first < t.first) {
		t.first = o.first
	}
	t.last = max(t.last, o.last)
	t.intended += o.intended
	t.started += o.started
	t.completed += o.completed
	t.failed += o.failed
	t.timedOut += o.timedOut
	t.connected += o.connected
	t.used += o.used
	t.resent += o.resent
	t.identified += o.identified
	t.sampled += o.sampled
	t.sent += o.sent
	t.received += o.received
	t.bodies += o.bodies
	t.putOff += o.putOff
	for kind, n := range o.errors {
		t.errors[kind] += n
	}
	for to, n := range o.redirects {
		t.redirects[to] += n
	}
	for status, n := range o.answers {
		t.answers[status] += n
	}
	for i, part := range o.parts {
		t.parts[i].Started += part.Started
		t.parts[i].Completed += part.Completed
		t.parts[i].Sampled += part.Sampled
	}
	t.pending.add(&o.pending)
	t.latency.Merge(o.latency)
	t.lag.Merge(o.lag)
	t.timings.add(o.timings)
}

// load returns the tally as a record.
func (t *tally) load() (record.Load, error) {
	latency, latencyErr := record.EncodeHistogram(t.latency)
	lag, lagErr := record.EncodeHistogram(t.lag)
	told, timingErr := t.timings.kept()
	l := record.Load{
		WallSeconds:   max(t.last-t.first, 0).Seconds(),
		Intended:      t.intended,
		Started:       t.started,
		Completed:     t.completed,
		Failed:        t.failed,
		TimedOut:      t.timedOut,
		Connected:     t.connected,
		Used:          t.used,
		Resent:        t.resent,
		Identified:    t.identified,
		Sampled:       t.sampled,
		BytesSent:     t.sent,
		BytesReceived: t.received,
		BodyBytes:     t.bodies,
		PutOff:        t.putOff,
		Parts:         t.parts,
		Backlog:       t.pending.ends(),
		Latency:       latency,
		Lag:           lag,
		Timings:       told,
	}
	if len(t.errors) > 0 {
		l.Errors = t.errors
	}
	if len(t.redirects) > 0 {
		l.Redirects = t.redirects
	}
	if len(t.answers) > 0 {
		l.Answers = t.answers
	}
	return l, errors.Join(latencyErr, lagErr, timingErr)
}

// The backlog of an open loop: operations due and not yet ended, at each tenth of the schedule. If it does not grow, the rate
// is held.

// tenths is the number of parts of a schedule.
const tenths = 10

// pending counts the operations that fell due and that ended in each part of a schedule; the last part is everything after it.
// The zero value counts nothing.
type pending struct {
	part       time.Duration // length of one; 0 if the schedule has none
	due, ended [tenths + 1]uint64
}

// pendingOf returns the pending of a task: with parts for an open loop of a given length.
func pendingOf(t load.Task) pending {
	if t.Rate <= 0 {
		return pending{}
	}
	return pending{part: t.Duration / tenths}
}

func (b *pending) fall(at time.Duration) {
	if b.part > 0 {
		b.due[b.index(at)]++
	}
}

func (b *pending) end(now time.Duration) {
	if b.part > 0 {
		b.ended[b.index(now)]++
	}
}

// index returns the part of a time since the start.
func (b *pending) index(at time.Duration) int { return int(min(max(at/b.part, 0), tenths)) }

func (b *pending) add(o *pending) {
	for i := range b.due {
		b.due[i] += o.due[i]
		b.ended[i] += o.ended[i]
	}
}

// ends returns the operations due and not ended at the end of each part of the schedule; nil without parts.
func (b *pending) ends() []uint64 {
	if b.part == 0 {
		return nil
	}
	out := make([]uint64, tenths)
	var open uint64
	for i := range out {
		open += b.due[i]
		open -= min(b.ended[i], open)
		out[i] = open
	}
	return out
}

// The progress of a run of the generator, readable while it runs.

// Progress is the progress of the task under way, or of the last one.
type Progress struct {
	Intended, Completed, Failed, TimedOut uint64
}

// progress holds each thread's counts for other goroutines.
type progress struct {
	threads atomic.Pointer[[]*seen]
}

func (p *progress) store(thread int, t *tally) {
	s := (*p.threads.Load())[thread]
	s.intended.Store(t.intended)
	s.completed.Store(t.completed)
	s.failed.Store(t.failed)
	s.timedOut.Store(t.timedOut)
}

// grow makes room for n threads and sets all counts to zero.
func (p *progress) grow(n int) {
	threads := make([]*seen, n)
	for i := range threads {
		threads[i] = &seen{}
	}
	p.threads.Store(&threads)
}

func (p *progress) sum() (sum Progress) {
	for _, s := range *p.threads.Load() {
		sum.Intended += s.intended.Load()
		sum.Completed += s.completed.Load()
		sum.Failed += s.failed.Load()
		sum.TimedOut += s.timedOut.Load()
	}
	return sum
}

// The failures of an operation, in the words of Load.Errors.

// Failures of a connection that have no error of the kernel.
var (
	errClosedEarly = errors.New("connection closed before the response")
	errCutShort    = errors.New("connection closed in the response")
	errCancelled   = errors.New("cancelled")
	errUnasked     = errors.New("bytes that nobody asked for") // of an idle connection: no operation fails
)

// kernelErrors names the likely errors of connect, read and write.
var kernelErrors = map[syscall.Errno]string{
	syscall.ECONNREFUSED:  "connection refused",
	syscall.ECONNRESET:    "connection reset",
	syscall.EPIPE:         "connection reset",
	syscall.ETIMEDOUT:     "connection timed out",
	syscall.EHOSTUNREACH:  "host unreachable",
	syscall.ENETUNREACH:   "network unreachable",
	syscall.EADDRNOTAVAIL: "no local port free",
	syscall.EMFILE:        "too many open files",
	syscall.ENFILE:        "too many open files",
	syscall.EACCES:        "not permitted",
	syscall.EPERM:         "not permitted",
}

// kindOf returns the kind of failure of err. The kinds are few, whatever a server does.
func kindOf(err error) string {
	var bad badResponse
	if errors.As(err, &bad) {
		return bad.Error()
	}
	var secure tlsFailure
	if errors.As(err, &secure) {
		return secure.Error()
	}
	if remoteAlert(err) != "" {
		return tlsError(err).Error()
	}
	for _, known := range []error{errClosedEarly, errCutShort, errCancelled} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if kind, ok := kernelErrors[errno]; ok {
			return kind
		}
		return errno.Error()
	}
	return "other"
}

// isTimeout reports whether err is a deadline that passed.
func isTimeout(err error) bool {
	var ne net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &ne) && ne.Timeout()
}

// wrong returns the kind of failure of an unexpected status.
func (p *response) wrong() string {
	if len(p.shown) == 0 {
		return "status " + p.told()
	}
	return "status " + p.told() + " with " + quote.Line(string(p.shown))
}

// redirects reports whether an answer is a redirect.
func (p *response) redirects() bool {
	return p.status >= 300 && p.status <= 399 && len(p.fields.location) > 0
}

// told returns the status, with the target of a redirect.
func (p *response) told() string {
	kind, to := strconv.Itoa(p.status), p.fields.location
	if !p.redirects() {
		return kind
	}
	if end := bytes.IndexAny(to, "?#"); end >= 0 { // the rest may differ each time
		to = to[:end]
	}
	return kind + " to " + quote.Line(string(to))
}

// wrongSetting explains an error of preparing an engine.
func wrongSetting(what string, err error) error {
	return fmt.Errorf("preparing the load generator: %s: %w", what, err)
}

// The operations that are due but have no connection yet.

// wait is an operation that waits for a connection.
type wait struct {
	load.Arrival
	noticed time.Duration // when the generator noticed that it was due
}

// queue is first in, first out. The zero value is empty.
type queue struct {
	items []wait
	head  int
}

func (q *queue) empty() bool { return q.head == len(q.items) }

func (q *queue) size() int { return len(q.items) - q.head }

func (q *queue) first() *wait { return &q.items[q.head] }

func (q *queue) push(w wait) { q.items = append(q.items, w) }

func (q *queue) pop() wait {
	w := q.items[q.head]
	q.head++
	switch {
	case q.empty():
		q.items, q.head = q.items[:0], 0
	case q.head >= 1024 && q.head*2 >= len(q.items):
		n := copy(q.items, q.items[q.head:])
		q.items, q.head = q.items[:n], 0
	}
	return w
}

// Self-driving workloads: the conductor's side of the orders to a process. docs/self-driving.md is the protocol.

package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// Time limits for a step of a process, besides the stretch itself.
const (
	patienceWithStep  = 2 * time.Minute
	patienceWithCalls = time.Hour // for a stretch that ends with its calls only
)

// maxAnswer bounds a line of the process, in bytes.
const maxAnswer = 64 << 10

// Driver gives orders to one process of a self-driving workload, one at a time. It is not safe for concurrent use. The end of a
// context during a step closes the connection: the Driver is then of no use.
type Driver struct {
	conn   net.Conn
	lines  *bufio.Reader
	order  Order        // the last prepared one
	done   *record.Load // its result; nil until it was run
	random bool         // the process knows the word moments
	broken error        // the reason why no more orders can be given
	closed bool
}

// Dial connects to a process that listens at address.
func Dial(ctx context.Context, address string) (*Driver, error) {
	ctx, cancel := context.WithTimeout(ctx, patienceWithRemote)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connecting to the workload to give it orders: %w", err)
	}
	return &Driver{conn: conn, lines: bufio.NewReaderSize(conn, maxAnswer)}, nil
}

// Prepare sends the process an order to prepare. Only a process that knows the word gets moments.
func (d *Driver) Prepare(ctx context.Context, o Order) error {
	if !d.random {
		o.Moments = 0
	}
	line, err := o.line()
	if err != nil {
		return fmt.Errorf("giving an order to the workload: %w", err)
	}
	d.order, d.done = o, nil
	values, err := d.ask(ctx, line, "prepared", patienceWithStep)
	d.random = values["moments"] > 0
	return err
}

// Run makes the prepared operations. Latency and Lag are empty until Collect.
func (d *Driver) Run(ctx context.Context) (record.Load, error) {
	values, err := d.ask(ctx, "run", "done", d.order.patience())
	if err != nil {
		return record.Load{}, err
	}
	l, err := d.order.load(values)
	if err != nil {
		return record.Load{}, fmt.Errorf("the workload's answer to run: %w", err)
	}
	d.done = &l
	return l, nil
}

// Collect lets the process write its durations, and adds them to l, the result of Run. The files stay.
func (d *Driver) Collect(ctx context.Context, l *record.Load) error {
	if d.done == nil || d.order.Samples == "" {
		return errors.New("collecting durations: no order was run that keeps them")
	}
	values, err := d.ask(ctx, "write", "written", patienceWithStep)
	if err != nil {
		return err
	}
	if n := values["samples"]; n != l.Started {
		return fmt.Errorf("the workload wrote %d durations of %d operations: it must write one of each", n, l.Started)
	}
	if err := d.order.collect(l); err != nil {
		return fmt.Errorf("reading the durations that the workload wrote: %w", err)
	}
	return nil
}

// Live lets the process collect its garbage, and adds to l the memory in use after it.
func (d *Driver) Live(ctx context.Context, l *record.Load) error {
	values, err := d.ask(ctx, "live", "live", patienceWithStep)
	if err != nil {
		return err
	}
	if live, told := values["heap_live_bytes"]; told && l.Driven != nil {
		l.Driven.HeapLive = &live
	}
	return nil
}

// Stop orders the process to end, and closes the connection. The process ends a little later.
func (d *Driver) Stop(ctx context.Context) error {
	if d.broken != nil {
		return d.Close() // the process ends by that, too
	}
	_, err := d.ask(ctx, "stop", "bye", patienceWithStep)
	return errors.Join(err, d.Close())
}

// Close closes the connection. It may be called again.
func (d *Driver) Close() error {
	if d.closed {
		return nil
	}
	d.closed = true
	if d.broken == nil {
		d.broken = net.ErrClosed
	}
	if err := d.conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) { // the end of a context closes it too
		return fmt.Errorf("closing the connection to the workload: %w", err)
	}
	return nil
}

// ask sends a line and reads the answer, which must begin with a word.
func (d *Driver) ask(ctx context.Context, line, word string, patience time.Duration) (values map[string]uint64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	step, _, _ := strings.Cut(line, " ")
	if d.broken != nil {
		return nil, fmt.Errorf("telling the workload %q: the connection was given up before: %w", step, d.broken)
	}
	defer context.AfterFunc(ctx, func() { _ = d.conn.Close() })() // its error is the next read's
	answer, err := d.exchange(line, patience)
	if err == nil {
		values, err = parseAnswer(answer, word)
	}
	var refused *refusedError
	if err == nil || errors.As(err, &refused) {
		return values, wrapStep(step, err)
	}
	// The rest cannot be understood. The connection stays open: closing it would end the process, which would look like the
	// reason.
	d.broken = err
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, wrapStep(step, err)
}

func wrapStep(step string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("telling the workload %q: %w", step, err)
}

func (d *Driver) exchange(line string, patience time.Duration) (string, error) {
	if err := d.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	if _, err := d.conn.Write([]byte(line + "\n")); err != nil {
		return "", err
	}
	answer, err := d.lines.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return "", fmt.Errorf("its answer is longer than %d bytes", maxAnswer)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", fmt.Errorf("it has not answered for %v", patience)
	case err != nil:
		return "", fmt.Errorf("it closed the connection without an answer: %w", err)
	}
	return strings.TrimSuffix(string(answer), "\n"), nil
}

// An order to a self-driving workload, as sent.

// Order is one stretch of work for a self-driving workload.
type Order struct {
	Calls    uint64            // the most operations, over all threads; 0: Duration alone ends it
	Duration time.Duration     // the longest; 0: Calls alone end it
	Rate     float64           // operations/s over all threads; 0: as fast as it goes
	Threads  int               // 0 is 1
	Depth    int               // nested calls of one operation; 0: from Words, or the workload's own
	Seed     uint64            // of the operation's random choices
	Moments  uint64            // seed of the moments at which operations start at a rate; 0: at a constant period
	Words    map[string]string // the operation's own words; those above win
	Samples  string            // prefix of the paths of files with durations; "": not kept
}

func (o Order) threads() int { return max(1, o.Threads) }

// BatchesPath returns the path of the readings of the heap; "" if there are none.
func (o Order) BatchesPath() string {
	if o.Samples == "" {
		return ""
	}
	return o.Samples + ".csv"
}

// line returns the order as sent to the process.
func (o Order) line() (string, error) {
	if o.Calls == 0 && o.Duration <= 0 {
		return "", errors.New("neither calls nor a duration: it would never end")
	}
	if !(o.Rate >= 0) || math.IsInf(o.Rate, 0) {
		return "", fmt.Errorf("rate %v: want operations per second, at least 0", o.Rate)
	}
	own := []string{"calls", "duration_ns", "rate", "threads", "seed", "moments", "samples", "batches"}
	words := []string{
		"prepare",
		"calls=" + strconv.FormatUint(o.Calls, 10),
		"duration_ns=" + strconv.FormatInt(int64(o.Duration), 10),
		"rate=" + strconv.FormatFloat(o.Rate, 'f', -1, 64),
		"threads=" + strconv.Itoa(o.threads()),
		"seed=" + strconv.FormatUint(o.Seed>>1, 10), // to fit a signed number
	}
	add := func(name, value string) { own, words = append(own, name), append(words, name+"="+value) }
	if o.Rate > 0 && o.Moments>>1 > 0 {
		words = append(words, "moments="+strconv.FormatUint(o.Moments>>1, 10))
	}
	if o.Depth > 0 {
		add("depth", strconv.Itoa(o.Depth))
	}
	for _, name := range slices.Sorted(maps.Keys(o.Words)) {
		if !slices.Contains(own, name) {
			add(name, o.Words[name])
		}
	}
	if o.Samples != "" {
		words = append(words, "samples="+o.Samples, "batches="+o.BatchesPath())
	}
	for _, word := range words {
		if strings.ContainsAny(word, " \t\r\n") {
			return "", fmt.Errorf("the word %q holds a blank, which an order cannot", word)
		}
	}
	return strings.Join(words, " "), nil
}

// patience returns the time limit of the stretch.
func (o Order) patience() time.Duration {
	if o.Duration <= 0 {
		return patienceWithCalls
	}
	return o.Duration + patienceWithStep
}

// intended returns the number of operations that the order asks for; 0 if it is as many as possible.
func (o Order) intended() uint64 {
	const rounding = 1e-6
	if o.Rate <= 0 {
		return 0
	}
	if o.Duration <= 0 {
		return o.Calls
	}
	n := uint64(max(1, math.Ceil(o.Rate*o.Duration.Seconds()-rounding)))
	if o.Calls > 0 {
		n = min(n, o.Calls)
	}
	return n
}

// depth returns the depth of an operation; 0 if unknown.
func (o Order) depth() int {
	if o.Depth > 0 {
		return o.Depth
	}
	n, err := strconv.Atoi(o.Words["depth"])
	if err != nil {
		return 0 // not a number of calls, but a word of the operation's own
	}
	return n
}

// load parses the process's report of the stretch, and checks it against the order.
func (o Order) load(v map[string]uint64) (record.Load, error) {
	for _, name := range []string{"started", "failed", "wall_ns"} {
		if _, told := v[name]; !told {
			return record.Load{}, fmt.Errorf("it does not say %s", name)
		}
	}
	l := record.Load{
		WallSeconds: inSeconds(v["wall_ns"]), Intended: o.intended(), Started: v["started"], Failed: v["failed"],
		Driven: &record.Driven{
			Threads: o.threads(), Depth: o.depth(), Constant: o.Rate > 0 && o.Moments == 0, CallSeconds: inSeconds(v["call_ns"]),
			ThreadCPU: told(v, "thread_cpu_ns", inSeconds), Allocated: told(v, "allocated_bytes", asTold),
			AllocatedCaller: told(v, "allocated_callers_bytes", asTold), GCCount: told(v, "gc_count", asTold),
			GCSeconds: told(v, "gc_ns", inSeconds), HeapPeak: told(v, "heap_peak_bytes", asTold),
		},
	}
	l.Intended = max(l.Intended, l.Started)
	switch {
	case l.Failed > l.Started:
		return l, fmt.Errorf("%d of %d operations failed: more than there were", l.Failed, l.Started)
	case o.Rate > 0 && o.Duration > 0 && l.Started > o.intended()+1: // one for rounding
		return l, fmt.Errorf("it made %d operations, and in %s no more than %d fall due at %g/s: its threads are to take turns (docs/self-driving.md)", l.Started, o.Duration, o.intended(), o.Rate)
	case o.Calls > 0 && l.Started > o.Calls:
		return l, fmt.Errorf("it made %d operations, and was told to make %d at most", l.Started, o.Calls)
	case l.Started > 0 && v["wall_ns"] == 0:
		return l, fmt.Errorf("it made %d operations in no time", l.Started)
	}
	if err := possible(&l); err != nil {
		return l, err
	}
	l.Completed = l.Started - l.Failed
	if l.Failed > 0 {
		l.Errors = map[string]uint64{"thrown": l.Failed}
	}
	return l, nil
}

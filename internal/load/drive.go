// Self-driving workloads: the conductor's side of the orders that make a process
// work. docs/self-driving.md is the protocol.

package load

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/record"
)

// How long a process may take over a step, besides the stretch itself.
const (
	patienceWithStep  = 2 * time.Minute
	patienceWithCalls = time.Hour // a stretch that ends with its calls alone
)

// maxAnswer bounds a line of the process, in bytes.
const maxAnswer = 64 << 10

// Driver gives orders to one process of a self-driving workload, one at a time. It
// is not safe for concurrent use. The end of a context during a step closes the
// connection: the Driver is of no use after that.
type Driver struct {
	conn   net.Conn
	lines  *bufio.Reader
	order  Order        // the last one that was prepared
	done   *record.Load // what came of it; nil until it was run
	broken error        // why no more orders can be given
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

// Prepare has the process make ready for an order.
func (d *Driver) Prepare(ctx context.Context, o Order) error {
	line, err := o.line()
	if err != nil {
		return fmt.Errorf("giving an order to the workload: %w", err)
	}
	d.order, d.done = o, nil
	_, err = d.ask(ctx, line, "prepared", patienceWithStep)
	return err
}

// Run has the process make the operations that were prepared. Latency and Lag are
// empty until Collect.
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

// Collect has the process write down its durations, and adds them to l, which Run
// returned. The files stay.
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

// Live has the process collect its garbage, and adds to l what is in use after.
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

// Stop has the process end, and closes the connection. The process ends a little
// later.
func (d *Driver) Stop(ctx context.Context) error {
	if d.broken != nil {
		return d.Close() // which is as good as being told to stop
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
	// What follows cannot be understood. The connection stays open: its end would end
	// the process, which would look like the reason.
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

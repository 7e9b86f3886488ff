package drive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/engine"
	"github.com/tracetax/tracetax/internal/record"
)

// Requests lets the load generator ask the workload's processes.
type Requests struct{ Run }

// Generator is the process of the load generator.
type Generator interface {
	Stop(context.Context, time.Duration) (killed bool, err error)
}

var _ Driver = (*Requests)(nil)

// Check implements Driver.
func (r *Requests) Check(s Segment) error {
	_, err := r.task(s)
	return err
}

// Prepare implements Driver.
func (r *Requests) Prepare(_ context.Context, s Segment) (Prepared, error) {
	task, err := r.task(s)
	task.Used = r.made[s.Operation.Name] // windows that restart would ask the same few rows, which a program may have cached
	return asked{r, s.Operation.Name, task}, err
}

// Stop implements Driver: with the generator its connections end.
func (r *Requests) Stop(ctx context.Context) error {
	err := r.Remote.Close()
	if r.Generator == nil {
		return err
	}
	_, stopErr := r.Generator.Stop(ctx, r.Grace)
	return errors.Join(err, stopErr)
}

// Close implements Driver: the generator's process is ended by its starter; one on another machine ends with its connection.
func (r *Requests) Close() error {
	if r.Generator == nil {
		return r.Remote.Close()
	}
	return nil
}

// Wrong implements Driver.
func (r *Requests) Wrong(o program.Operation, did record.Load) error {
	err := fmt.Errorf("operation %s: %s; of %d started, %d were answered as expected, %d wrongly, %d not in time: mend the service, the request or the expected status",
		o.Name, errorsOf(did), did.Started, did.Completed, did.Failed, did.TimedOut)
	if did.Failed > 0 {
		err = &WrongError{err}
	}
	spoken := func(class string) bool { return strings.HasPrefix(class, "status ") }
	if did.Completed > 0 || len(o.Mix) > 0 || slices.ContainsFunc(slices.Collect(maps.Keys(did.Errors)), spoken) {
		return err
	}
	// A server that does not understand HTTP/1.1 may break the connection without an answer.
	if request, bad := r.requestFor(o); bad == nil && !request.GRPC && request.TLS == nil && engine.OnlyHTTP2(request.Address) {
		return fmt.Errorf("%w; %w", err, engine.ErrOnlyHTTP2)
	}
	return err
}

// WrongError reports that operations were answered wrongly.
type WrongError struct{ err error }

// Error gives the counts and the remedy.
func (e *WrongError) Error() string { return e.err.Error() }

// Took implements Driver: in a closed loop each connection waits for one answer after the other.
func (r *Requests) Took(s Segment, did record.Load) float64 {
	if s.Rate != 0 {
		return 0
	}
	return did.WallSeconds * float64(max(1, s.Load.Connections)*max(1, s.Load.Streams))
}

// Addresses returns the addresses that an operation and its steps ask.
func (r *Requests) Addresses(o program.Operation) ([]string, error) {
	first, err := r.requestFor(o)
	if err != nil {
		return nil, err
	}
	out := []string{first.Address}
	then, err := r.following(o)
	for _, step := range then {
		out = append(out, step.Address)
	}
	return out, err
}

func errorsOf(did record.Load) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(did.Errors)) {
		parts = append(parts, fmt.Sprintf("%s: %d", class, did.Errors[class]))
	}
	switch {
	case len(parts) > 0:
		return strings.Join(parts, ", ")
	case did.Started > 0 || did.TimedOut == 0:
		return "no error was seen"
	}
	lag, err := did.Lag.Decode()
	if err != nil {
		return "none was sent"
	}
	return fmt.Sprintf("none was sent: %d connections were opened, and the load generator itself was %.2g s late at most", did.Connected, time.Duration(lag.Max()).Seconds())
}

// asked is a segment of requests.
type asked struct {
	by        *Requests
	operation string
	task      load.Task
}

// Run implements Prepared.
func (a asked) Run(ctx context.Context) (record.Load, error) {
	did, err := a.by.Remote.Do(ctx, a.task)
	if a.by.made == nil {
		a.by.made = map[string]uint64{}
	}
	a.by.made[a.operation] += did.Started
	if ctx.Err() != nil {
		return did, context.Cause(ctx)
	}
	if err != nil {
		return did, fmt.Errorf("making operation %s: %w%s", a.operation, err, a.by.Said())
	}
	return did, nil
}

// Collect implements Prepared: the generator reports everything at once.
func (a asked) Collect(context.Context, *record.Load) error { return nil }

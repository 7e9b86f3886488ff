package run

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/spec"
	"github.com/tracetax/tracetax/internal/usage"
)

// calibrationOperations is how often an operation is made, one at a time, to
// learn how many spans it makes.
const calibrationOperations = 20

// badShare is the share of wrongly answered operations above which a phase says
// nothing about the operation.
const badShare = 0.01

// meter reads usage; it is embedded so that the stage can hold it before the
// processes are known.
type meter struct{ *usage.Meter }

// firstOperation makes the first operation of the processes' life, and waits for
// the spans of the start.
func (s *stage) firstOperation(ctx context.Context) error {
	start := &s.record.Start
	start.FirstOperation = s.request.First.Name
	task, err := s.task(s.request.First)
	if err != nil {
		return err
	}
	task.Count, task.Connections = 1, 1
	did, err := s.load(ctx, s.request.First, task)
	if err != nil {
		return err
	}
	latency, err := did.Latency.Decode()
	if err != nil {
		return err
	}
	start.FirstOperationSeconds = time.Duration(latency.Max()).Seconds()
	end, err := s.drain(ctx, record.Counts{}, -1)
	start.Sink = end.counts
	return err
}

// idle reads what the processes use when nothing is asked of them.
func (s *stage) idle(ctx context.Context) error {
	if s.request.Kind == record.Calibration {
		return nil
	}
	before, err := s.meter.Mark()
	if err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(s.request.Load.Idle):
	}
	after, err := s.meter.Mark()
	if err != nil {
		return err
	}
	s.record.Start.IdleSeconds = s.request.Load.Idle.Seconds()
	s.record.Start.Idle = s.meter.Between(before, after)
	return nil
}

// phases makes the operations, each in a phase of its own.
func (s *stage) phases(ctx context.Context) error {
	if s.request.Kind == record.Calibration {
		return s.calibrate(ctx)
	}
	counted := s.record.Start.Sink
	for i, operation := range s.request.Operations {
		phase, end, err := s.phase(ctx, operation, counted)
		if err != nil {
			return err
		}
		phase.Position = i
		s.record.Phases = append(s.record.Phases, phase)
		counted = end
	}
	return nil
}

// phase makes one operation: warm-up, drain, measured window, drain. The drain
// before the window keeps the warm-up's spans out of the window's cost.
func (s *stage) phase(ctx context.Context, operation spec.Operation, counted record.Counts) (record.Phase, record.Counts, error) {
	phase := record.Phase{Operation: operation.Name}
	task, err := s.task(operation)
	if err != nil {
		return phase, counted, err
	}
	phase.OfferedRate = task.Rate
	if task.Rate == 0 {
		phase.Connections = task.Connections
	}
	s.name = "warm-up"
	task.Duration = s.request.Load.Warmup
	if phase.Warmup, err = s.load(ctx, operation, task); err != nil {
		return phase, counted, err
	}
	warm, err := s.drain(ctx, counted, s.awaited(operation.Name, phase.Warmup.Started))
	if err != nil {
		return phase, counted, err
	}
	phase.WarmupSink = warm.counts.Minus(counted)

	s.name = "window"
	before, err := s.meter.Mark()
	if err != nil {
		return phase, counted, err
	}
	begun, own := time.Now(), s.own()
	task.Duration = s.request.Load.Duration
	task.Seed++
	if phase.Load, err = s.load(ctx, operation, task); err != nil {
		return phase, counted, err
	}
	s.name = "drain"
	end, err := s.drain(ctx, warm.counts, s.awaited(operation.Name, phase.Load.Started))
	if err != nil {
		return phase, counted, err
	}
	after, err := s.meter.Mark()
	if err != nil {
		return phase, counted, err
	}
	s.record.Harness.OwnCPU += (s.own() - own).Seconds()
	s.record.Harness.OwnSeconds += time.Since(begun).Seconds()
	phase.Sink = end.counts.Minus(warm.counts)
	phase.Usage = s.meter.Between(before, after)
	phase.DrainSeconds = end.took.Seconds()
	phase.Quiet = warm.quiet && end.quiet
	return phase, end.counts, nil
}

// own is the CPU time that tracetax itself has used until now.
func (s *stage) own() time.Duration { return ownCPU() + s.launcher.KeeperCPU() }

// calibrate makes each operation a few times, one at a time, and waits each time
// until its spans have come. The readiness request is one of them.
func (s *stage) calibrate(ctx context.Context) error {
	operations := s.request.Operations
	if probe, ok := s.probe(); ok {
		operations = append([]spec.Operation{probe}, operations...)
	}
	counted := s.record.Start.Sink
	for i, operation := range operations {
		task, err := s.task(operation)
		if err != nil {
			return err
		}
		task.Rate, task.Count, task.Connections, task.Duration = 0, calibrationOperations, 1, 0
		did, err := s.load(ctx, operation, task)
		if err != nil {
			return err
		}
		end, err := s.drain(ctx, counted, -1)
		if err != nil {
			return err
		}
		s.record.Phases = append(s.record.Phases, record.Phase{
			Operation: operation.Name, Position: i, Connections: 1, Load: did,
			Sink: end.counts.Minus(counted), DrainSeconds: end.took.Seconds(), Quiet: end.quiet,
		})
		counted = end.counts
	}
	return nil
}

// probe is the readiness request of the first process that has one, as an
// operation.
func (s *stage) probe() (spec.Operation, bool) {
	for _, p := range s.request.Plan.Processes {
		if p.Traced && strings.HasPrefix(p.Ready, "http://") {
			url, err := spec.Expand(p.Ready, s.valuesFor(p))
			if err != nil {
				return spec.Operation{}, false // would have failed when it was waited for
			}
			return spec.Operation{Name: record.Probe, Method: "GET", URL: url, Process: p.Name}, true
		}
	}
	return spec.Operation{}, false
}

// load has the load generator make an operation. Too many wrong answers are an
// error.
func (s *stage) load(ctx context.Context, operation spec.Operation, task load.Task) (record.Load, error) {
	did, err := s.agents.load.Do(ctx, task)
	if ctx.Err() != nil {
		return did, context.Cause(ctx)
	}
	if err != nil {
		return did, fmt.Errorf("making operation %s: %w%s", operation.Name, err, said(s.agents.loadProcess))
	}
	if did.Completed == 0 || float64(did.Failed) > badShare*float64(did.Started) {
		return did, fmt.Errorf("operation %s: of %d started, %d were answered as expected, %d wrongly, %d not in time (%s): mend the service, the request or the expected status",
			operation.Name, did.Started, did.Completed, did.Failed, did.TimedOut, errorsOf(did))
	}
	return did, nil
}

func errorsOf(did record.Load) string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(did.Errors)) {
		parts = append(parts, fmt.Sprintf("%s: %d", class, did.Errors[class]))
	}
	if len(parts) == 0 {
		return "no error was seen"
	}
	return strings.Join(parts, ", ")
}

// task turns an operation into the load generator's words.
func (s *stage) task(operation spec.Operation) (load.Task, error) {
	l := s.request.Load
	task := load.Task{
		Rate: l.Rate, Arrivals: l.Arrivals, Connections: l.Connections, Duration: l.Duration, Timeout: l.Timeout, Seed: s.request.Seed,
	}
	if operation.Rate > 0 {
		task.Rate = operation.Rate
	}
	if operation.Timeout > 0 {
		task.Timeout = operation.Timeout
	}
	mix := operation.Mix
	if len(mix) == 0 {
		mix = []spec.Share{{Operation: operation, Weight: 1}}
	}
	for _, share := range mix {
		request, err := s.requestFor(share.Operation)
		if err != nil {
			return task, fmt.Errorf("operation %s: %w", share.Operation.Name, err)
		}
		request.Weight = share.Weight
		task.Operations = append(task.Operations, request)
	}
	return task, nil
}

func (s *stage) requestFor(o spec.Operation) (load.Request, error) {
	values := s.valuesFor(o.Owner(s.request.Plan.Processes))
	text, err := spec.Expand(o.URL, values)
	if err != nil {
		return load.Request{}, err
	}
	if strings.HasPrefix(text, "/") {
		text = "http://127.0.0.1:" + values["port"] + text
	}
	target, err := url.Parse(text)
	if err != nil {
		return load.Request{}, fmt.Errorf("reading its address: %w", err)
	}
	if target.Scheme != "http" {
		return load.Request{}, fmt.Errorf("address %s: only http:// can be asked in this version", text)
	}
	address := target.Host
	if target.Port() == "" {
		address = net.JoinHostPort(target.Hostname(), "80")
	}
	request := load.Request{
		Name: o.Name, Address: address, Host: target.Host, Method: o.Method, Path: target.RequestURI(), Body: o.Body, Status: o.Status,
	}
	for _, name := range slices.Sorted(maps.Keys(o.Headers)) {
		value, err := spec.Expand(o.Headers[name], values)
		if err != nil {
			return load.Request{}, fmt.Errorf("header %s: %w", name, err)
		}
		request.Headers = append(request.Headers, load.Header{Name: name, Value: value})
	}
	return request, nil
}

package capacity

// Services that exist as formulas only, to search.

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tracetax/tracetax/internal/record"
)

// service is a program with a generator before it and a sink behind.
type service struct {
	cpu       func(rate float64) float64 // utilisation at a rate that is held
	most      float64                    // operations/s that it can do; 0: until its CPU is used up
	hottest   func(rate float64) float64 // nil: not known
	database  float64                    // CPU seconds an operation of a database with one CPU
	latency   float64                    // seconds, of one operation without a queue
	queue     bool                       // latencies are those of M/M/1 with most as its rate of service
	generator float64                    // operations/s that can be asked; 0: any
	lossless  float64                    // operations/s above which spans are lost; 0: none ever
	buffer    float64                    // spans that are held back before the first is lost
	spans     float64                    // an operation
	noise     float64                    // relative, of the CPU: ± so much, evenly
	drift     float64                    // standard deviation of the logarithm of the machine's speed, which changes from probe to probe
	spikes    float64                    // share of the probes in which it takes a third more
	cold      float64                    // times the CPU in excess that the first probe takes; halved with each that follows
	jitter    float64                    // standard deviation of the logarithm of all latencies of a probe
	pauses    float64                    // share of the probes in which the machine pauses for a second
	throttle  float64                    // seconds per second
	tail      float64                    // seconds, that the generator is late with 2 % of the operations
	tailed    float64                    // share of the probes in which it is; 0: all
	others    float64                    // share of its CPUs that other programs take
}

// capacity is the highest rate that the service can hold.
func (v service) capacity() float64 {
	if v.most > 0 {
		return v.most
	}
	low, high := 0.0, 1e6
	for range 60 {
		if mid := (low + high) / 2; v.cpu(mid) < 1 {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

const timeout = 5.0 // seconds

// make makes a probe of the service.
func (v service) make(t *testing.T, p record.Probe, made int, r *rand.Rand) record.Probe {
	t.Helper()
	asked, sent := p.Rate, p.Rate
	if v.generator > 0 {
		sent = min(sent, v.generator)
	}
	done := min(sent, v.capacity())
	n := math.Round(asked * p.Seconds)
	backlog := n/done - p.Seconds // seconds beyond the schedule
	if r.Float64() < v.pauses {
		backlog = max(backlog, 1)
	}
	p.Load.Intended, p.Load.Started = uint64(n), uint64(n)
	if backlog > timeout {
		p.Load.TimedOut = uint64(n * (1 - (p.Seconds+timeout)/(p.Seconds+backlog)))
		backlog = timeout
	}
	p.Load.Completed = p.Load.Started - p.Load.TimedOut
	p.Load.WallSeconds = p.Seconds + max(backlog, 0) + v.latency
	v.times(t, &p, backlog, sent < asked, r)
	speed := math.Exp(v.drift*r.NormFloat64()) * (1 + v.cold/math.Exp2(float64(made)))
	if v.spikes > 0 && r.Float64() < v.spikes {
		speed *= 4.0 / 3
	}
	p.Utilisation = min(1, v.cpu(done)*(1+v.noise*(2*r.Float64()-1))*speed)
	if v.hottest != nil {
		p.Hottest, p.HottestOf = v.hottest(done), "app"
	}
	p.Usage = []record.Usage{
		{Process: "app", Role: "app", Seconds: p.Seconds, CPUSeconds: p.Utilisation * p.Seconds, CPUs: 1, ThrottleSeconds: v.throttle * p.Seconds},
		{Process: "db", Role: "database", Seconds: p.Seconds, CPUSeconds: min(1, v.database*done) * p.Seconds, CPUs: 1},
		{Process: "tracetax-load", Role: "load", Seconds: p.Seconds, CPUSeconds: 0.1, CPUs: 1},
	}
	p.Quiet, p.Others = true, v.others
	p.Expected = v.spans * float64(p.Load.Completed)
	if v.lossless > 0 {
		p.Lost = math.Ceil(max(0, v.spans*max(0, done-v.lossless)*p.Seconds-v.buffer))
	}
	return p
}

// times fills in the latencies: what the service takes, and the backlog through
// which they grow.
func (v service) times(t *testing.T, p *record.Probe, backlog float64, late bool, r *rand.Rand) {
	t.Helper()
	const points = 500
	latency, lag := record.NewHistogram(), record.NewHistogram()
	tail := v.tail
	if v.tailed > 0 && r.Float64() >= v.tailed {
		tail = 0
	}
	scale := math.Exp(v.jitter * r.NormFloat64())
	each := max(1, int64(p.Load.Intended)/points)
	for i := range points {
		q := (float64(i) + 0.5) / points
		s := v.latency * (1 + 0.2*q)
		if v.queue {
			s = -math.Log(1-q) / max(v.most-p.Rate, v.most/1000)
		}
		s *= scale
		behind := 0.0
		if backlog > 0 {
			behind = backlog * q
		}
		own := 20e-6
		if late {
			own += behind
		}
		if q > 0.98 {
			own, s = own+tail, s+tail
		}
		enter := func(h interface{ RecordValues(int64, int64) error }, seconds float64) {
			if err := h.RecordValues(int64(seconds*1e9), each); err != nil {
				t.Fatal(err)
			}
		}
		enter(latency, s+behind)
		enter(lag, own)
	}
	var err error
	if p.Load.Latency, err = record.EncodeHistogram(latency); err != nil {
		t.Fatal(err)
	}
	if p.Load.Lag, err = record.EncodeHistogram(lag); err != nil {
		t.Fatal(err)
	}
}

// find searches a service to the end.
func find(t *testing.T, s *Search, v service, seed uint64) record.Search {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	var probes []record.Probe
	for range 100 {
		next, more := s.Next(probes)
		if !more {
			return s.Result(probes)
		}
		if next.Rate <= 0 || next.Seconds <= 0 || next.Purpose == "" || math.IsNaN(next.Rate) {
			t.Fatalf("after %d probes: %+v", len(probes), next)
		}
		probes = append(probes, s.Judge(v.make(t, next, len(probes), r)))
	}
	t.Fatal("the search does not end")
	return record.Search{}
}

func linear(base, demand float64) func(float64) float64 {
	return func(rate float64) float64 { return base + demand*rate }
}

// describeProbes is for a test that fails.
func show(t *testing.T, c record.Search) {
	t.Helper()
	t.Logf("%s: rate %.4g, passing %.4g, failing %.4g, binding %s, linear %t, U = %.3f + %.6f X, note %q",
		c.Outcome, c.Rate, c.Passing, c.Failing, c.Binding, c.Linear, c.Base, c.Demand, c.Note)
	for _, p := range c.Probes {
		t.Logf("  %-7s %8.2f/s for %.1f s: U %.4f, hottest %.3f, lost %.0f, held %t, passed %t: %s",
			p.Purpose, p.Rate, p.Seconds, p.Utilisation, p.Hottest, p.Lost, p.Held, p.Passed, p.Why)
	}
}

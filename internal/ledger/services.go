// This file tells whose spans are missing: how many spans of each service an operation makes is learnt with their number.

package ledger

import (
	"maps"
	"slices"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// byService is how many spans of each service one of so many operations makes; nil where that is not the same number for
// all of them, or spans of other work are among them.
func byService(c record.Counts, others map[string]int64, operations uint64) map[string]uint64 {
	if len(others) > 0 || c.Duplicate > 0 || operations == 0 {
		return nil
	}
	var sum uint64
	out := map[string]uint64{}
	for service, spans := range c.Services {
		if spans%operations != 0 {
			return nil
		}
		out[service], sum = spans/operations, sum+spans
	}
	if sum != c.Spans || sum == 0 {
		return nil
	}
	return out
}

// sameServices is what two calibrations teach together.
func sameServices(a, b map[string]uint64) map[string]uint64 {
	if !maps.Equal(a, b) {
		return nil
	}
	return a
}

// service is what a stretch has of one: spans that should come, and that came.
type service struct{ due, came float64 }

// servicesOf are the services of a stretch; nil where it is not sure whose its spans are.
func servicesOf(s Stretch, per PerOperation, others map[string]int64) map[string]service {
	var sum uint64
	for _, spans := range per.Services {
		sum += spans
	}
	if !per.exact() || sum != uint64(per.Low) || s.Started != s.Completed || s.Resent > 0 || len(others) > 0 || s.Sink.Duplicate > 0 {
		return nil
	}
	out := map[string]service{}
	for name, spans := range per.Services {
		out[name] = service{due: float64(spans * s.Started)}
	}
	for name, spans := range s.Sink.Services {
		one, known := out[name]
		if !known && spans > 0 {
			return nil
		}
		one.came = float64(spans)
		out[name] = one
	}
	return out
}

// addServices adds those of a run, as far as they are known of all runs.
func (p *page) addServices(l line) {
	if l.services == nil || l.late > 0 || p.runs > 1 && p.services == nil {
		p.services = nil
		return
	}
	sum := map[string]service{}
	for name, one := range l.services {
		before := p.services[name]
		sum[name] = service{before.due + one.due, before.came + one.came}
	}
	p.services = sum
}

// missing lists the services, where there are several and spans of any did not come.
func (p *page) missingOf() []finding.ServiceSpans {
	if len(p.services) < 2 || p.left+p.decided > 0 { // whose were left out on purpose nobody says
		return nil
	}
	var out []finding.ServiceSpans
	short := false
	for _, name := range slices.Sorted(maps.Keys(p.services)) {
		one := p.services[name]
		short = short || one.came < one.due
		out = append(out, finding.ServiceSpans{Service: name, Expected: whole(one.due), Delivered: whole(one.came)})
	}
	if !short {
		return nil
	}
	return out
}

package capacity

// Whether a probe was held, and met the goal.

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/stats"
	"github.com/tracetax/tracetax/internal/steady"
)

// failedShare of the operations asked for, timed out or answered wrongly, is a
// probe that failed: no capacity is found in wrong answers.
const failedShare = 0.01

// within is the largest distance of a verified rate from the CPU target: two points.
const within = 0.02

// Held reports whether the rate of a probe that has just been made was held: a program has to
// work off a backlog. It does not use durations, which are not collected yet.
func (s *Search) Held(p record.Probe) bool {
	latency, err := p.Load.Latency.Decode()
	return err == nil && len(notHeld(&p, latency)) == 0
}

// Judge decides whether a finished probe was held and passed.
func (s *Search) Judge(p record.Probe) record.Probe {
	latency, err := p.Load.Latency.Decode()
	if err != nil {
		p.Held, p.Passed, p.Why = false, false, err.Error()
		return p
	}
	why := notHeld(&p, latency)
	p.Held = len(why) == 0
	if s.generatorBound(&p) && (!p.Held || s.goal.Goal == config.GoalLatency) { // a rate that was held all the same was asked
		why = append(why, "the generator was late")
	}
	why = append(why, s.missed(&p, latency)...)
	p.Passed = len(why) == 0
	p.Why = strings.Join(why, "; ")
	return p
}

// missed returns the part of the goal that was missed.
func (s *Search) missed(p *record.Probe, latency *hdrhistogram.Histogram) []string {
	switch s.goal.Goal {
	case config.GoalCPU:
		return s.missedCPU(p)
	case config.GoalLatency:
		return s.missedLatency(p, latency)
	}
	var why []string
	if spanless(p) {
		why = append(why, "no span is to come, or it is not known exactly how many")
	}
	if unsure := p.Load.Started - p.Load.Completed; p.Load.Started > p.Load.Completed {
		why = append(why, fmt.Sprintf("%d operations were not answered as expected: whether their spans were lost is not known", unsure))
	}
	if p.Lost > 0 {
		why = append(why, fmt.Sprintf("%.0f spans lost", math.Ceil(p.Lost)))
	}
	if !p.Quiet {
		why = append(why, "spans still came when patience ended")
	}
	return why
}

func (s *Search) missedCPU(p *record.Probe) []string {
	var why []string
	if off := p.Utilisation - s.goal.CPU; math.Abs(off) > within {
		why = append(why, fmt.Sprintf("%.1f %% of the CPU used, %+.1f points off", 100*p.Utilisation, 100*off))
	}
	if throttled := s.throttled(p); throttled != "" {
		why = append(why, throttled)
	}
	return why
}

// throttled names the processes of the app or its sidecars that their quota throttled for long;
// "": none. The target leaves 1 − target of the quota's time unused: throttled for longer, the
// work comes in bursts that the quota cuts. The kernel adds up the time of each CPU.
func (s *Search) throttled(p *record.Probe) string {
	var what []string
	for _, u := range p.Usage {
		if u.Role.OnApp() && u.ThrottleSeconds > (1-s.goal.CPU)*u.Seconds {
			what = append(what, fmt.Sprintf("%s was throttled for %.1f s (all its CPUs added up) in %.1f s", u.Process, u.ThrottleSeconds, u.Seconds))
		}
	}
	return strings.Join(what, "; ")
}

func (s *Search) missedLatency(p *record.Probe, latency *hdrhistogram.Histogram) []string {
	n, percentile := uint64(latency.TotalCount()), s.goal.Percentile
	if !stats.QuantileSupported(n, percentile) {
		return []string{fmt.Sprintf("%d operations are too few for p%g, which needs %.0f: the probe is too short", n, percentile, math.Ceil(s.needed()))}
	}
	if above := float64(n) * (100 - percentile) / 100; float64(p.Load.TimedOut) > above {
		return []string{fmt.Sprintf("p%g lies among the operations that timed out", percentile)}
	}
	if at := time.Duration(latency.ValueAtQuantile(percentile)); at > s.goal.Limit {
		return []string{fmt.Sprintf("p%g is %v", percentile, at.Round(time.Microsecond))}
	}
	return nil
}

// notHeld returns the reason why the rate was not held; "" if it was.
func notHeld(p *record.Probe, latency *hdrhistogram.Histogram) []string {
	if p.Load.Intended == 0 {
		return []string{"nothing was asked"}
	}
	var why []string
	offer := steady.Offer{Rate: p.Rate, Seconds: p.Seconds, Load: &p.Load, Latency: steady.LatenciesOf(latency)}
	if share := offer.Share(); share < steady.HeldShare {
		why = append(why, fmt.Sprintf("%s of %s held", perSecond(share*p.Rate), perSecond(p.Rate)))
	}
	bad := p.Load.TimedOut + p.Load.Failed
	if float64(bad) > failedShare*float64(p.Load.Intended) || len(why) == 0 && !offer.Held() {
		why = append(why, fmt.Sprintf("of %d operations %d timed out, %d failed", p.Load.Intended, p.Load.TimedOut, p.Load.Failed))
	}
	return why
}

// reached is the rate of completed operations, the time of working a backlog off
// included.
func reached(p *record.Probe) float64 {
	over := max(p.Load.WallSeconds, steady.Offer{Rate: p.Rate, Seconds: p.Seconds, Load: &p.Load}.Schedule())
	if over <= 0 {
		return 0
	}
	return float64(p.Load.Completed) / over
}

// spanless reports whether a probe has no expected spans, which could be lost.
func spanless(p *record.Probe) bool { return p.Expected == 0 && p.Load.Completed > 0 }

// times returns the number of probes of a rate.
func times(probes []record.Probe, rate float64) int {
	n := 0
	for i := range probes {
		if same(probes[i].Rate, rate) {
			n++
		}
	}
	return n
}

// Which resource keeps a service from more.

// Resources that may bind, besides the roles of other processes and threads.
const (
	bindsQuota     = "quota" // all of the CPU that the app may use
	bindsGenerator = "generator"
	bindsTracer    = "the tracer's queue or export"
	bindsUnseen    = "none that is seen: a lock, a pool, or something outside"
)

const (
	full   = 0.9  // share of a resource from which it is taken to bind
	nearer = 0.05 // that a thread must be busier than the whole of the app's CPU, to be the nearer limit
)

// binding names the resource that limits the service to the rate that was found; "" if none is known.
func (s *Search) binding(probes []record.Probe, c record.Search) string {
	if len(probes) == 0 {
		return ""
	}
	switch c.Outcome {
	case record.ByGenerator:
		return bindsGenerator
	case record.AboveMax, record.NoSpans, record.Unsteady:
		return ""
	case record.Found:
		if s.goal.Goal == config.GoalCPU {
			name, _ := nearest(lastPassed(probes))
			return name
		}
	}
	p := s.lowestFailing(probes, c)
	if p == nil {
		return ""
	}
	if s.failedByGenerator(p) {
		return bindsGenerator
	}
	name, share := nearest(p)
	switch {
	case share >= full, s.goal.Goal == config.GoalLatency && share >= room:
		return name
	case p.Held && p.Lost > 0:
		return bindsTracer
	}
	return bindsUnseen
}

// lastPassed is the last probe that passed, or the last one.
func lastPassed(probes []record.Probe) *record.Probe {
	for i := len(probes) - 1; i >= 0; i-- {
		if probes[i].Passed {
			return &probes[i]
		}
	}
	return &probes[len(probes)-1]
}

// lowestFailing is the last probe that failed at the lowest rate that failed, one
// that the generator did not fail where there is one; nil where none did.
func (s *Search) lowestFailing(probes []record.Probe, c record.Search) *record.Probe {
	var late *record.Probe
	for i := len(probes) - 1; i >= 0; i-- {
		p := &probes[i]
		if c.Failing <= 0 || !same(p.Rate, c.Failing) || p.Passed && p.Held {
			continue
		}
		if c.Outcome != record.Found || !s.failedByGenerator(p) {
			return p
		}
		if late == nil {
			late = p
		}
	}
	return late
}

// nearest names the resource with the largest share in use.
func nearest(p *record.Probe) (name string, share float64) {
	name, share = bindsQuota, p.Utilisation
	if p.Hottest > share+nearer || p.Hottest >= full && share < full {
		name, share = "hottest thread", p.Hottest
		if p.HottestOf != "" {
			name += " of " + p.HottestOf
		}
	}
	for _, u := range p.Usage {
		if u.Role == role.App || u.Role == role.Load || u.CPUs <= 0 || u.Seconds <= 0 {
			continue
		}
		if used := u.CPUSeconds / u.Seconds / u.CPUs; used > share {
			name, share = nameOf(u), used
		}
	}
	if beside, used := besideTheApp(p); used >= full && share < full {
		name, share = beside, used
	}
	return name, share
}

func nameOf(u record.Usage) string {
	if u.Role == role.Load {
		return bindsGenerator
	}
	if u.Process != string(u.Role) && u.Role != role.Sink {
		return fmt.Sprintf("%s (%s)", u.Role, u.Process)
	}
	return string(u.Role)
}

// besideTheApp returns the used share of the CPUs that are not the app's, and the process that
// uses most of them.
func besideTheApp(p *record.Probe) (name string, share float64) {
	var used, most, cpus float64
	for _, u := range p.Usage {
		if u.Role.OnApp() || u.Seconds <= 0 {
			continue
		}
		one := u.CPUSeconds / u.Seconds
		used += one
		if one > most {
			name, most = nameOf(u), one
		}
		if u.Role.Harness() {
			cpus = max(cpus, u.CPUs) // these have no quota: all CPUs that there are beside the app's
		}
	}
	if cpus == 0 {
		return "", 0
	}
	return name, used / cpus
}

// Whether the generator was the limit, and not the service.

const (
	lateBy    = 5e-3 // seconds, the generator's lateness at the 90th percentile from which on it counts
	lateBusy  = 1e-3 // the same at the median, for a generator that is busy
	busyShare = 0.95 // of its CPU, from which a generator is busy
)

// generatorBound reports whether the generator could not offer its load: most of the
// latency was its own, or it was busy and late, or a latency limit was missed by no more
// than its own lag. A self-driving workload has no generator: it is late itself.
func (s *Search) generatorBound(p *record.Probe) bool {
	if p.Load.Driven != nil {
		return false
	}
	lag, err := p.Load.Lag.Decode()
	if err != nil || lag.TotalCount() == 0 {
		return false
	}
	latency, err := p.Load.Latency.Decode()
	if err != nil {
		return false
	}
	if quantile(lag, 90) > max(lateBy, quantile(latency, 90)/2) {
		return true
	}
	if s.goal.Goal == config.GoalLatency {
		at, limit := quantile(latency, s.goal.Percentile), s.goal.Limit.Seconds()
		if at > limit && at-quantile(lag, s.goal.Percentile) <= limit {
			return true
		}
	}
	return generatorBusy(p) && quantile(lag, 50) > lateBusy
}

// failedByGenerator reports whether a probe failed as it could not be made as it
// should.
func (s *Search) failedByGenerator(p *record.Probe) bool {
	if p.Passed || p.Held && s.goal.Goal != config.GoalLatency {
		return false
	}
	return s.generatorBound(p)
}

func generatorBusy(p *record.Probe) bool {
	for _, u := range p.Usage {
		if u.Role == role.Load && u.Seconds > 0 && u.CPUSeconds > busyShare*u.Seconds {
			return true
		}
	}
	return false
}

func quantile(h *hdrhistogram.Histogram, percentile float64) float64 {
	return float64(h.ValueAtQuantile(percentile)) * 1e-9
}

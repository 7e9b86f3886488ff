package capacity

// Whether a probe was held, and met the goal.

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/pace"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/stats"
)

// failedShare of the operations asked for, timed out or answered wrongly, is a
// probe that failed: no capacity is found in wrong answers.
const failedShare = 0.01

// within is how near to the CPU target a verified rate must be: two points.
const within = 0.02

// Held says whether the rate of a probe that has just been made was held: what a program
// was given too much of has to be worked off. Of durations that are not collected yet
// nothing is taken.
func (s *Search) Held(p record.Probe) bool {
	latency, err := p.Load.Latency.Decode()
	return err == nil && len(notHeld(&p, latency)) == 0
}

// Judge says of a probe, when all that came of it is known, whether it was held and passed.
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
	if s.goal.Method == config.MethodStaircase && s.goal.Goal == config.GoalCPU {
		p.Passed = p.Utilisation >= s.goal.CPU // the study's: the first step over the target, held or not
	}
	p.Why = strings.Join(why, "; ")
	return p
}

// missed says in what the goal was missed.
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

// throttled says what of the app or its sidecars was held back by its quota; "" where
// nothing was for long. The target leaves 1 − target of the quota's time unused: held
// back for longer than that, the work comes in bursts that the quota cuts. The kernel
// adds up what each CPU was held back.
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

// notHeld says why the rate was not held; nothing where it was.
func notHeld(p *record.Probe, latency *hdrhistogram.Histogram) []string {
	if p.Load.Intended == 0 {
		return []string{"nothing was asked"}
	}
	var why []string
	offer := pace.Offer{Rate: p.Rate, Seconds: p.Seconds, Load: &p.Load, Latency: pace.LatenciesOf(latency)}
	if share := offer.Share(); share < pace.HeldShare {
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
	over := max(p.Load.WallSeconds, pace.Offer{Rate: p.Rate, Seconds: p.Seconds, Load: &p.Load}.Schedule())
	if over <= 0 {
		return 0
	}
	return float64(p.Load.Completed) / over
}

// spanless reports whether a probe can say nothing of lost spans.
func spanless(p *record.Probe) bool { return p.Expected == 0 && p.Load.Completed > 0 }

// times is how often a rate was probed.
func times(probes []record.Probe, rate float64) int {
	n := 0
	for i := range probes {
		if same(probes[i].Rate, rate) {
			n++
		}
	}
	return n
}

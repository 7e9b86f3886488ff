// The load and the design of an experiment.
package spec

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The defaults of an experiment; docs/experiment-file.md repeats them.
const (
	DefaultRate        = 100.0 // operations/s
	DefaultConnections = 256   // the most that may be open at a rate
	DefaultDuration    = 10 * time.Second
	DefaultWarmup      = 3 * time.Second
	DefaultTimeout     = 5 * time.Second
	DefaultIdle        = time.Second
	DefaultBlocks      = 10
)

func defaultLoad() Load {
	return Load{
		Arrivals: "constant", Warmup: DefaultWarmup, Duration: DefaultDuration,
		Timeout: DefaultTimeout, Idle: DefaultIdle,
	}
}

// complete fills in what depends on the rest: at a rate or in a closed loop.
func (l *Load) complete(w *Workload) {
	if l.Rate == 0 && l.Connections == 0 {
		l.Rate = cmp.Or(w.Rate, DefaultRate)
	}
	if l.Connections == 0 {
		l.Connections = DefaultConnections
	}
}

func (s *source) load(n *node) Load {
	l := defaultLoad()
	selfDriving := s.refuse("loads of workloads that make themselves work")
	s.mapping(n, "load", fields{
		"rate":        func(v *node) { l.Rate = s.loadRate(v) },
		"connections": func(v *node) { l.Connections = s.connections(v) },
		"arrivals":    func(v *node) { l.Arrivals = s.oneOf(v, "arrivals", "constant", "poisson") },
		"warmup":      func(v *node) { l.Warmup = s.duration(v, 0, 24*time.Hour) },
		"duration":    func(v *node) { l.Duration = s.duration(v, 100*time.Millisecond, 24*time.Hour) },
		"timeout":     func(v *node) { l.Timeout = s.duration(v, time.Millisecond, time.Hour) },
		"idle":        func(v *node) { l.Idle = s.duration(v, 0, time.Hour) },
		"capacity":    s.refuse("the search for the capacity; name a rate"),
		"calls":       selfDriving, "depth": selfDriving, "threads": selfDriving, "invocations": selfDriving,
	})
	s.atLeastOne(n, l)
	return l
}

// atLeastOne complains of a rate at which nothing happens in the measured window.
func (s *source) atLeastOne(n *node, l Load) {
	rate := n.get("rate")
	if rate == nil || happens(l.Rate, l.Duration) {
		return
	}
	text := printable(rate.text)
	if !strings.Contains(text, "/") {
		text = formatRate(l.Rate)
	}
	s.fail(rate.at, "%s for %s is no operation; ask for more, or for longer", text, formatDuration(l.Duration))
}

// happens reports whether at least one operation falls due at a rate per second; 0 is no rate.
func happens(rate float64, length time.Duration) bool {
	const rounding = 1e-9
	return rate <= 0 || rate*length.Seconds() >= 1-rounding
}

// CheckWindow says which operation is asked for less than once in the measured
// window, nil if none is. Whoever changes the load of an experiment asks it again.
func (e *Experiment) CheckWindow() error {
	for _, o := range e.Operations {
		if rate := cmp.Or(o.Rate, e.Load.Rate); !happens(rate, e.Load.Duration) {
			return fmt.Errorf("operation %q: %s for %s is no operation; ask for more, or for longer",
				printable(o.Name), formatRate(rate), formatDuration(e.Load.Duration))
		}
	}
	return nil
}

// loadRate reads a rate in operations/s.
func (s *source) loadRate(n *node) float64 {
	switch {
	case n.kind == list:
		s.fail(n.at, "not supported yet: several rates; write one experiment for each")
		return DefaultRate
	case strings.Contains(n.text, " of ") || n.text == "slowest":
		s.fail(n.at, "not supported yet: a rate relative to the slowest variant; name a rate such as 400/s")
		return DefaultRate
	}
	return s.rate(n)
}

func (s *source) connections(n *node) int {
	if n.kind == list {
		s.fail(n.at, "not supported yet: several numbers of connections; write one experiment for each")
		return 1
	}
	return s.whole(n, 1, 10_000)
}

func (s *source) design(n *node) Design {
	d := Design{Blocks: DefaultBlocks}
	s.mapping(n, "design", fields{
		"blocks":    func(v *node) { d.Blocks = s.blocks(v) },
		"seed":      func(v *node) { d.Seed = s.seed(v) },
		"quick":     func(v *node) { d.Quick = s.flag(v) },
		"precision": s.refuse("stopping at a precision; name a number of blocks"),
		"most":      s.refuse("stopping at a precision; name a number of blocks"),
	})
	return d
}

func (s *source) blocks(n *node) int {
	if strings.Contains(n.text, "..") {
		s.fail(n.at, "not supported yet: a number of blocks that is found on the way (%s); name one number", printable(n.text))
		return DefaultBlocks
	}
	return s.whole(n, 1, 1000)
}

func (s *source) seed(n *node) uint64 {
	v, err := strconv.ParseUint(s.text(n), 10, 64)
	if err != nil {
		s.fail(n.at, "%q is not a seed: a whole number from 1, or 0 to have one drawn", printable(n.text))
	}
	return v
}

// Quicken makes the experiment a matter of a minute: figures, but no intervals
// and no verdicts.
func (e *Experiment) Quicken() {
	e.Design.Quick = true
	e.Design.Blocks = min(e.Design.Blocks, 2)
	e.Load.Warmup = min(e.Load.Warmup, 500*time.Millisecond)
	e.Load.Duration = min(e.Load.Duration, e.quickest())
	e.Load.Idle = min(e.Load.Idle, 300*time.Millisecond)
}

// quickest is the length of a quick window: in it each operation happens at least once.
func (e *Experiment) quickest() time.Duration {
	length := 2 * time.Second
	for _, o := range e.Operations {
		if rate := cmp.Or(o.Rate, e.Load.Rate); !happens(rate, length) {
			length = time.Duration(math.Ceil(float64(time.Second) / rate))
		}
	}
	return length
}

// Settle draws a seed where the experiment has none, so that what is written of
// it repeats the same order.
func (e *Experiment) Settle() {
	for e.Design.Seed == 0 {
		e.Design.Seed = rand.Uint64()
	}
}

// Keep drops all variants that are not named. The baseline stays, and so does
// what a kept variant is compared with. No names keep all.
func (e *Experiment) Keep(names []string) error {
	if len(names) == 0 {
		return nil
	}
	var known []string
	for _, v := range e.Variants {
		known = append(known, v.Name)
	}
	keep := map[string]bool{known[0]: true}
	for _, name := range names {
		i := slices.Index(known, name)
		if i < 0 {
			return &UnknownError{What: "variant", Name: printable(name), Nearest: nearest(name, known)}
		}
		keep[name] = true
		if against := e.Variants[i].Against; against != "" {
			keep[against] = true
		}
	}
	// What is kept only to be compared with is compared with the baseline alone.
	var kept []Variant
	for _, v := range e.Variants {
		if !keep[v.Name] {
			continue
		}
		if !keep[v.Against] {
			v.Against = ""
		}
		kept = append(kept, v)
	}
	if len(kept) < 2 {
		return fmt.Errorf("only the baseline %q is left; name another variant", known[0])
	}
	e.Variants = kept
	return nil
}

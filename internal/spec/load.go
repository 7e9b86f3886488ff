// The load and the design of an experiment.
package spec

import (
	"cmp"
	"fmt"
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
	return l
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
	e.Load.Duration = min(e.Load.Duration, 2*time.Second)
	e.Load.Idle = min(e.Load.Idle, 300*time.Millisecond)
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

package readings

import (
	"time"

	"github.com/tracetax/tracetax/internal/role"
)

// Sample is the memory of a process at one moment.
type Sample struct {
	At    time.Time
	Bytes uint64
}

// Stretch is a time from a moment to another.
type Stretch struct{ From, To time.Time }

// Held is the memory of a process over some time, in bytes; 0 before the first sample.
type Held struct {
	Process    string
	Role       role.Role
	Mean, Peak uint64
}

// Held returns the memory of each process over stretches of time. Between gives that from mark to mark; Held serves
// stretches that end before their effects do, or have several parts.
func (l Log) Held(over ...Stretch) []Held {
	held := make([]Held, len(l.Who))
	for i, w := range l.Who {
		held[i] = Held{Process: w.Process, Role: w.Role}
		var weighted, seconds float64
		for _, s := range over {
			mean, peak := l.held(i, s.From, s.To)
			if mean == 0 { // nothing was sampled yet
				continue
			}
			length := max(s.To.Sub(s.From), 1).Seconds()
			weighted, seconds = weighted+float64(mean)*length, seconds+length
			held[i].Peak = max(held[i].Peak, peak)
		}
		if seconds > 0 {
			held[i].Mean = uint64(weighted / seconds)
		}
	}
	return held
}

// held returns the mean over time and the largest of a process's samples from a to b. Before the first of them it takes that
// one: an earlier sample may be of other work. A stretch without a sample takes the last one before it.
func (l Log) held(process int, a, b time.Time) (mean, peak uint64) {
	if process >= len(l.Memory) {
		return 0, 0
	}
	var weighted float64
	last, current, inside := a, uint64(0), false
	for _, s := range l.Memory[process] {
		if s.At.After(b) {
			break
		}
		if s.At.Before(a) {
			current = s.Bytes
			continue
		}
		if !inside {
			current, inside = s.Bytes, true
		}
		weighted += float64(current) * s.At.Sub(last).Seconds()
		last, current = s.At, s.Bytes
		peak = max(peak, s.Bytes)
	}
	if current == 0 || !b.After(a) {
		return current, max(peak, current)
	}
	weighted += float64(current) * b.Sub(last).Seconds()
	return uint64(weighted / b.Sub(a).Seconds()), max(peak, current)
}

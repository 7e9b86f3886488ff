// The answers of a self-driving workload.

package load

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/excerpt"
	"github.com/tracetax/tracetax/internal/record"
)

// answerWords are the words that may stand behind the first one of an answer.
var answerWords = map[string][]string{
	"prepared": nil,
	"done": {
		"started", "failed", "wall_ns", "call_ns", "thread_cpu_ns", "allocated_bytes", "allocated_callers_bytes",
		"gc_count", "gc_ns", "heap_peak_bytes",
	},
	"written": {"samples"},
	"live":    {"heap_live_bytes"},
	"bye":     nil,
}

// refusedError is a line that the process says it cannot carry out; the connection
// is as good as before.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return "it says: " + excerpt.Line(e.text) }

// parseAnswer takes apart an answer that must begin with a word: its values are
// whole numbers.
func parseAnswer(line, word string) (map[string]uint64, error) {
	line = strings.TrimSuffix(line, "\r")
	if text, refused := strings.CutPrefix(line, "error"); refused && (text == "" || text[0] == ' ') {
		return nil, &refusedError{strings.TrimSpace(text)}
	}
	parts := strings.Split(line, " ")
	if parts[0] != word {
		return nil, fmt.Errorf("it answered %s; want %s …", excerpt.Quoted(line), excerpt.Line(word))
	}
	values := map[string]uint64{}
	for _, part := range parts[1:] {
		name, text, ok := strings.Cut(part, "=")
		if !ok || !slices.Contains(answerWords[word], name) {
			return nil, fmt.Errorf("it answered %s, in which %s is none of %s=…", excerpt.Quoted(line), excerpt.Quoted(part), strings.Join(answerWords[word], "=…, "))
		}
		if _, twice := values[name]; twice {
			return nil, fmt.Errorf("it answered %s, which says %s twice", excerpt.Quoted(line), name)
		}
		n, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return nil, fmt.Errorf("it answered %s=%s: want a whole number from 0: %w", name, excerpt.Line(text), errors.Unwrap(err))
		}
		values[name] = n
	}
	return values, nil
}

// told is a value as the record has it, nil where the process does not tell it.
func told[T any](values map[string]uint64, name string, as func(uint64) T) *T {
	n, said := values[name]
	if !said {
		return nil
	}
	v := as(n)
	return &v
}

func inSeconds(ns uint64) float64 { return float64(ns) * 1e-9 }

func asTold(n uint64) uint64 { return n }

// How far figures may lie from what they must be: clocks of threads are not read
// at the very moments at which the stretch begins and ends.
const (
	sumTolerance  = 1e-3
	wallTolerance = 1e-2
	wallSlack     = 1e-3 // seconds
)

// possible says why a stretch cannot have been as the process says.
func possible(l *record.Load) error {
	most := l.WallSeconds*float64(l.Driven.Threads)*(1+wallTolerance) + wallSlack
	if l.Driven.CallSeconds > most {
		return fmt.Errorf("its operations took %.6g s on %d threads in %.6g s of wall time, which cannot be", l.Driven.CallSeconds, l.Driven.Threads, l.WallSeconds)
	}
	return nil
}

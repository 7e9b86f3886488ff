// The times that answers report: the header Server-Timing (https://www.w3.org/TR/server-timing/), as "db;dur=1.5,
// app;dur=3;desc=\"a, b\"", milliseconds each.

package engine

import (
	"bytes"
	"strconv"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/tracetax/tracetax/internal/load/feed"
	"github.com/tracetax/tracetax/internal/record"
)

// Limits of a server's report.
const (
	mostTimings    = 16      // names in one task
	longestTiming  = 40      // characters of a name
	longestTimings = 4 << 10 // bytes of the header in one answer
)

// timings are durations by the name of their entry.
type timings map[string]*hdrhistogram.Histogram

// tell records the durations of a header. It skips entries without a duration, as browsers do.
func (t timings) tell(header []byte) {
	for len(header) > 0 {
		var entry []byte
		entry, header = cutQuoted(header, ',')
		name, rest := cutQuoted(entry, ';')
		if name = bytes.Trim(name, " \t"); !feed.IsToken(string(name)) || len(name) > longestTiming {
			continue
		}
		for len(rest) > 0 {
			var parameter []byte
			parameter, rest = cutQuoted(rest, ';')
			key, value, _ := bytes.Cut(parameter, []byte{'='})
			if !equalFold(bytes.Trim(key, " \t"), "dur") {
				continue
			}
			if d, ok := milliseconds(bytes.Trim(value, " \t\"")); ok {
				t.enter(name, d)
			}
			break // the first one counts
		}
	}
}

func (t timings) enter(name []byte, d time.Duration) {
	h := t[string(name)]
	if h == nil {
		if len(t) >= mostTimings {
			return
		}
		h = record.NewHistogram()
		t[string(name)] = h
	}
	enter(h, d)
}

// add adds the timings of another thread.
func (t timings) add(o timings) {
	for name, h := range o {
		switch {
		case t[name] != nil:
			t[name].Merge(h)
		case len(t) < mostTimings:
			t[name] = h
		}
	}
}

// kept returns the durations as a record has them; nil if there are none.
func (t timings) kept() (map[string]record.Histogram, error) {
	if len(t) == 0 {
		return nil, nil
	}
	out := make(map[string]record.Histogram, len(t))
	for name, h := range t {
		var err error
		if out[name], err = record.EncodeHistogram(h); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cutQuoted cuts at the first separator outside quotes.
func cutQuoted(b []byte, separator byte) (before, after []byte) {
	quoted := false
	for i := 0; i < len(b); i++ {
		switch {
		case b[i] == '"':
			quoted = !quoted
		case quoted && b[i] == '\\':
			i++
		case !quoted && b[i] == separator:
			return b[:i], b[i+1:]
		}
	}
	return b, nil
}

// milliseconds parses a plain decimal number of milliseconds, of at most an hour.
func milliseconds(text []byte) (time.Duration, bool) {
	for _, c := range text {
		if (c < '0' || c > '9') && c != '.' {
			return 0, false
		}
	}
	ms, err := strconv.ParseFloat(string(text), 64)
	if err != nil || ms > float64(time.Hour/time.Millisecond) {
		return 0, false
	}
	return time.Duration(ms * float64(time.Millisecond)), true
}

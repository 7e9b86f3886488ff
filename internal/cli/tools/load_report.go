package tools

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/load"
	"github.com/tracetax/tracetax/internal/load/engine"
	"github.com/tracetax/tracetax/internal/record"
	"golang.org/x/term"
)

// watchLoad shows on a terminal how far the load has come, until the function
// that it returns is called. Elsewhere it shows nothing.
func watchLoad(w io.Writer, g *engine.Generator, what string, total time.Duration) (stop func()) {
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return func() {}
	}
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(500 * time.Millisecond)
		defer tick.Stop()
		start := time.Now()
		for {
			select {
			case <-quit:
				fmt.Fprint(w, "\r\033[K")
				return
			case <-tick.C:
			}
			p := g.Progress()
			fmt.Fprintf(w, "\r\033[K%s: %.0f of %.0f s, %d answered, %d failed, %d timed out",
				what, time.Since(start).Seconds(), total.Seconds(), p.Completed, p.Failed, p.TimedOut)
		}
	}()
	return func() { close(quit); <-done }
}

// printLoad writes the result that a person reads.
func printLoad(w io.Writer, done loadResult, sum load.Summary) error {
	l := done.load
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s"+format+"\n", append([]any{name}, args...)...)
	}

	row("operations", "%d answered in %s, %d failed, %d timed out", l.Completed, loadTime(l.WallSeconds), l.Failed, l.TimedOut)
	if sum.Asked > 0 {
		row("rate", "%s/s asked, %s/s reached%s", figure(sum.Asked), figure(sum.Reached), overtimeText(l, sum))
	} else {
		row("rate", "%s/s with %s", figure(sum.Reached), busyText(done.task))
	}
	row("latency", "%s", latencyLine(sum, l))
	if sum.Asked > 0 && l.Completed+l.TimedOut > 0 {
		row("lag", "p50 %s  p99 %s  max %s (the generator's own, within the latency)", loadTime(sum.LagP50), loadTime(sum.LagP99), loadTime(sum.LagMax))
	}
	row("generator", "%s of CPU per operation, %s", cpuText(l, sum), openedText(done))
	for _, kind := range byCount(l.Errors) {
		row("failed", "%d × %s", l.Errors[kind], kind)
	}
	if never := l.Intended - min(l.Intended, l.Started+l.Failed); never > 0 {
		row("never sent", "%d: %s", never, neverSentText(l))
	}
	if l.Resent > 0 {
		row("sent twice", "%d: the server had closed the kept connection", l.Resent)
	}
	if text := limitText(l, sum); text != "" {
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// cpuText is the generator's CPU time for each operation that was due.
func cpuText(l record.Load, sum load.Summary) string {
	if l.Intended == 0 {
		return "–"
	}
	return loadTime(sum.CPUPerRequest)
}

// busyText says what a closed loop kept busy.
func busyText(t load.Task) string {
	connections := "1 busy connection"
	if t.Connections > 1 {
		connections = fmt.Sprintf("%d busy connections", t.Connections)
	}
	if t.Streams > 1 {
		return fmt.Sprintf("%s of %d calls each", connections, t.Streams)
	}
	return connections
}

func latencyLine(sum load.Summary, l record.Load) string {
	if l.Completed+l.TimedOut == 0 {
		return "nothing to time"
	}
	var parts []string
	for _, q := range sum.Latency {
		at := ""
		if q.Censored {
			at = "≥ "
		}
		parts = append(parts, fmt.Sprintf("p%g %s%s", q.Percentile, at, loadTime(q.Seconds)))
	}
	most := "max "
	if l.TimedOut > 0 {
		most = "max ≥ "
	}
	return strings.Join(append(parts, most+loadTime(sum.LatencyMax)), "  ")
}

// noticeable is the share of the whole time from which on overtime is shown.
const noticeable = 0.05

// overtimeText reports the time from the end of the schedule to the last answer.
func overtimeText(l record.Load, sum load.Summary) string {
	if sum.Overtime <= noticeable*l.WallSeconds {
		return ""
	}
	return fmt.Sprintf("; the last answer came %s after the schedule's end", loadTime(sum.Overtime))
}

func limitText(l record.Load, sum load.Summary) string {
	switch sum.Limit {
	case load.NothingAnswered:
		return nothingText(l)
	case load.GeneratorLate:
		return fmt.Sprintf("Bounded by the generator: it was late by %s at p99, and the latencies contain that.\nThe server may be faster. Give the generator its own CPU or more --threads, or ask for\nless than %s/s.", loadTime(sum.LagP99), figure(sum.Asked))
	case load.GeneratorBusy:
		return "Bounded by the generator: its threads ran, or waited for a CPU, all the time; the\nserver may be faster. Give the generator its own CPU or more --threads."
	case load.ServerOverloaded:
		return fmt.Sprintf("Overloaded: the server reached %s/s of the %s/s asked; latencies grow as long as that\nlasts, and say nothing about the server at a rate that it can hold.", figure(sum.Reached), figure(sum.Asked))
	}
	return ""
}

// nothingText says why no operation was answered as expected.
func nothingText(l record.Load) string {
	text := fmt.Sprintf("Nothing was measured: of %d operations none was answered as expected", l.Intended)
	switch kinds := byCount(l.Errors); {
	case unreachable(l) && l.TimedOut > l.Failed:
		return text + ".\nNo connection could be opened: the server does not accept any, or nothing comes through to it."
	case l.TimedOut > l.Failed:
		return text + ".\nMost timed out: the server does not answer, or --timeout is too short for it."
	case len(kinds) == 0:
		return text + "."
	case kinds[0] == "connection refused":
		return text + ".\nThe connection was refused: nothing listens at that address and port."
	case strings.HasPrefix(kinds[0], "tls: certificate"):
		return text + ".\nThe most frequent reason: " + kinds[0] + ".\nGive its authority with --cacert FILE, or leave it unchecked with --insecure."
	default:
		return text + ".\nThe most frequent reason: " + kinds[0] + "."
	}
}

// byCount returns the names of counts, the largest count first.
func byCount(counts map[string]uint64) []string {
	return slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y))
	})
}

// loadTime writes seconds with three digits, in the unit that suits them.
func loadTime(seconds float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if seconds >= unit.size*0.9995 {
			return figure(seconds/unit.size) + " " + unit.name
		}
	}
	return fmt.Sprintf("%.0f ns", seconds*1e9)
}

// figure writes a number with three digits, or all those before the point.
func figure(v float64) string {
	switch {
	case v >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case v >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

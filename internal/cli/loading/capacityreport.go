package loading

// This file prints what load --capacity found.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/tracetax/tracetax/internal/load"
)

func showCapacity(w io.Writer, c load.Capacity, foreign, asJSON bool) error {
	var err error
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		err = e.Encode(c)
	} else {
		err = printCapacity(w, c, foreign)
	}
	if err != nil {
		return fmt.Errorf("printing the result: %w", err)
	}
	for _, cell := range c.Closed {
		if cell.Rate > 0 {
			return nil
		}
	}
	return errors.New("no operation was answered as expected")
}

func printCapacity(w io.Writer, c load.Capacity, foreign bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s; %s each\n\n", capacityPlaces(c, foreign), loadTime(c.StretchSeconds))
	fmt.Fprint(t, "Generator and server: how busy, + how long they waited for their CPU.\n\n")
	fmt.Fprint(t, "closed loop, by threads × connections\n\tper second\tCPU each\tgenerator\tserver\tlimit\n")
	for _, cell := range c.Closed {
		fmt.Fprintf(t, "%d × %d\t%s\t%s\t%s\t%s\t%s\n", cell.Threads, cell.Connections, figure(cell.Rate),
			loadTime(cell.CPUPerOperation), shareText(&cell.Generator), shareText(cell.Server), boundText(cell.Bound))
	}
	fmt.Fprint(t, "\nopen loop, by threads × most connections: the highest rate held with a p99 of\nthe lag under 1 ms\n\tper second\tCPU each\tgenerator\tserver\tlag p99\tlimit\n")
	for _, h := range c.Open {
		if h.Rate == 0 {
			fmt.Fprintf(t, "%d × %d\tnone\t\t\t\t\t%s\n", h.Threads, h.Connections, boundText(h.Bound))
			continue
		}
		fmt.Fprintf(t, "%d × %d\t%s\t%s\t%s\t%s\t%s\t%s\n", h.Threads, h.Connections, figure(h.Rate), loadTime(h.CPUPerOperation),
			shareText(&h.Generator), shareText(h.Server), loadTime(h.LagP99), boundText(h.Bound))
	}
	fmt.Fprintf(t, "\n%s", capacityAdvice(c, foreign))
	return t.Flush()
}

func capacityPlaces(c load.Capacity, foreign bool) string {
	switch {
	case foreign:
		return fmt.Sprintf("The generator on %s, the server that the URL names elsewhere", cpuCount(c.GeneratorCPUs))
	case c.Shared:
		return "The generator and its little server share one CPU"
	}
	return fmt.Sprintf("The generator on %s, its little server on %s", cpuCount(c.GeneratorCPUs), otherCPUs(c.ServerCPUs))
}

func cpuCount(n int) string {
	if n == 1 {
		return "1 CPU"
	}
	return fmt.Sprintf("%d CPUs", n)
}

func otherCPUs(n int) string {
	if n == 1 {
		return "1 other"
	}
	return fmt.Sprintf("%d others", n)
}

// shareText is how busy a process was, and how long it had to wait for its CPU.
func shareText(s *load.Share) string {
	if s == nil {
		return "–"
	}
	if s.Waited < 0.02 {
		return fmt.Sprintf("%.0f %%", 100*s.Ran)
	}
	return fmt.Sprintf("%.0f+%.0f %%", 100*s.Ran, 100*s.Waited)
}

func boundText(b load.Bound) string {
	switch b {
	case "":
		return "not reached"
	case load.ByGenerator:
		return "the generator"
	case load.ByServer:
		return "the server"
	case load.BySharedCPU:
		return "the CPU they share"
	case load.ByConnections:
		return "waiting for answers"
	}
	return string(b)
}

// capacityAdvice says what the figures mean for other measurements.
func capacityAdvice(c load.Capacity, foreign bool) string {
	best, others := 0.0, false
	for _, h := range c.Open {
		best = max(best, h.Rate)
		others = others || h.Bound == load.ByOthers
	}
	for _, cell := range c.Closed {
		others = others || cell.Bound == load.ByOthers
	}
	text := "No rate was held punctually: latencies of an open loop would hold the\ngenerator's own lateness.\n"
	switch {
	case best > 0 && foreign:
		text = fmt.Sprintf("Up to %s/s can be asked of this URL punctually. Where the limit is not the\ngenerator, it is the service's, or the way's to it.\n", figure(best))
	case best > 0:
		text = fmt.Sprintf("A service that stays below %s/s is itself the limit, not this generator:\nwhat more costs an operation there (larger answers, TLS, gRPC) lowers that.\n", figure(best))
	}
	if others {
		text += "Other processes used the same CPUs meanwhile: a quiet machine can do more.\n"
	}
	return text
}

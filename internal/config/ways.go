// The ways of tracing that a decision about a program is made of.

package config

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/tracetax/tracetax/internal/config/program"
)

// WayOfErrors is the name of the way that keeps all traces with an error.
const WayOfErrors = "errors"

// batches is how much shorter a Collector's batches wait than a short delay of the tracer's: each export comes alone either way.
const batches = 5

// Ways returns variants of a program, as Flags has them: without the tracer, with every trace as the tracer comes, with a tenth
// and a hundredth of the traces if it samples, and, if OpenTelemetry's variables say where its spans go, by way of a Collector
// with every trace, and with those that have an error and a hundredth of the others. Delay is for how long the tracer may hold
// spans; "" is as it comes.
func Ways(t *program.Tracer, delay string) []string {
	of, held := "tracer="+t.Name, t.Delay
	for _, s := range t.Settings {
		if s.Meaning != program.MeaningDelay {
			continue
		}
		if delay != "" {
			of += "," + s.Name + "=" + delay
		}
		if d, err := time.ParseDuration(cmp.Or(delay, s.Default)); err == nil {
			held = max(held, d)
		}
	}
	out := []string{program.NoTracer, "all:" + of}
	for _, s := range t.Settings {
		if s.Meaning == program.MeaningSampling {
			out = append(out, "tenth:"+of+","+s.Name+"=10%", "hundredth:"+of+","+s.Name+"=1%")
		}
	}
	if t.ReadsVariables() {
		wait := math.Ceil(2 * held.Seconds()) // by then the whole trace is there
		of += ",via=collector"
		if d, err := time.ParseDuration(delay); err == nil {
			of += fmt.Sprintf(",via.batch=%v", d/batches)
		}
		out = append(out, "collector:"+of,
			fmt.Sprintf("%s:%s,via.keep=errors-and-share,via.share=1%%,via.wait=%gs", WayOfErrors, of, wait))
	}
	return out
}

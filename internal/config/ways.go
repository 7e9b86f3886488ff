// The ways of tracing that a decision about a program is made of.

package config

import "github.com/tracetax/tracetax/internal/config/program"

// Ways returns variants of a program, as Flags has them: without the tracer, with every trace as the tracer comes, with a tenth
// and a hundredth of the traces if it samples, and with every trace by way of a Collector if OpenTelemetry's variables say where
// its spans go. Delay is for how long the tracer may hold spans; "" is as it comes.
func Ways(t *program.Tracer, delay string) []string {
	of := "tracer=" + t.Name
	for _, s := range t.Settings {
		if s.Meaning == program.MeaningDelay && delay != "" {
			of += "," + s.Name + "=" + delay
		}
	}
	out := []string{program.NoTracer, "all:" + of}
	for _, s := range t.Settings {
		if s.Meaning == program.MeaningSampling {
			out = append(out, "tenth:"+of+","+s.Name+"=10%", "hundredth:"+of+","+s.Name+"=1%")
		}
	}
	if t.ReadsVariables() {
		out = append(out, "collector:"+of+",via=collector")
	}
	return out
}

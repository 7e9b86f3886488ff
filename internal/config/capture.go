// A capture beside a variant's tracer: a traced program and its packets are one run.

package config

import (
	"github.com/tracetax/tracetax/internal/config/program"
)

// Capture is a tracer that captures packets beside a variant's own. The zero value is none.
type Capture struct {
	_        struct{}          `called:"a capture"`
	Tracer   *program.Tracer   `yaml:"tracer" as:"own" shape:"Text" required:"experiment"` // one that captures packets, such as packets
	Settings map[string]string `yaml:"settings" as:"own" shape:"Environment"`              // its settings: 'tracetax show TRACER'
}

// capturing returns the tracer that captures the variant's packets, with its settings: the variant's own, or the one beside it; ok is
// false without one.
func (v Variant) capturing() (of Variant, ok bool) {
	if v.Tracer.Captures() {
		return v, true
	}
	return Variant{Name: v.Name, Tracer: v.Capture.Tracer, Settings: v.Capture.Settings}, v.Capture.Tracer != nil
}

// Captures reports whether the variant's packets are captured.
func (v Variant) Captures() bool {
	_, ok := v.capturing()
	return ok
}

// tracers are those of the variant: its own, and what captures packets beside it.
func (v Variant) tracers() []Variant {
	of, ok := v.capturing()
	if !ok || of.Tracer == v.Tracer {
		return []Variant{v}
	}
	return []Variant{v, of}
}

// Needs are the needs of the variant's tracers.
func (v Variant) Needs() (out []program.Need) {
	for _, one := range v.tracers() {
		out = append(out, one.Tracer.Needs...)
	}
	return out
}

// Untraced reports whether a variant is the program as it is: without a tracer, or with one that captures its packets, and
// without variables, arguments or marks of its pods that may switch on one of the program's own.
func (v Variant) Untraced() bool {
	return (v.Tracer == nil || v.Tracer.Name == program.NoTracer || v.Tracer.Captures()) &&
		len(v.Env) == 0 && len(v.Args) == 0 && v.Image == "" && !v.mayInject()
}

// readCapture reads a capture: the name of a tracer, or a mapping.
func readCapture(s *program.Source, n *program.Node, v *Variant, w *program.Workload, catalog looker) {
	n = n.AsShort("tracer")
	of := Variant{Name: v.Name, Settings: map[string]string{}, Chosen: map[string]string{}}
	named := n.Get("tracer")
	if named == nil {
		s.Fail(n.At, "capture needs a tracer that captures packets, such as capture: packets")
		return
	}
	s.Decode(n, &v.Capture)
	of.Tracer = lookUpTracer(s, named.At, s.Line(named), w, catalog)
	found := of.Tracer != nil
	chooseSettings(s, &of, w, named.At, n.Get("settings"))
	switch {
	case !found:
		return
	case !of.Tracer.Captures():
		s.Fail(named.At, "tracer %s captures no packets; name one that does, such as packets", of.Tracer.Name)
		return
	case v.Tracer.Captures():
		s.Fail(n.At, "tracer %s of variant %q captures packets already; leave capture out", v.Tracer.Name, program.Printable(v.Name))
		return
	}
	v.Capture = Capture{Tracer: of.Tracer, Settings: of.Settings}
}

// ReadKey reads nothing: readCapture knows the catalog.
func (c *Capture) ReadKey(*program.Source, *program.Node, string) {}

// WriteKey writes a capture's keys.
func (c Capture) WriteKey(w program.Writer, key string) any {
	switch {
	case key == "tracer" && c.Tracer != nil:
		return c.Tracer.Name
	case key == "settings" && len(c.Settings) > 0:
		return w.Env(c.Settings)
	}
	return nil
}

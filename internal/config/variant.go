// Variants of an experiment.

package config

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/tracetax/tracetax/internal/nearest"
)

// NoTracer is the name of the tracer that adds nothing.
const NoTracer = "none"

// TracerName is the name of the variant's tracer, also where it has none.
func (v Variant) TracerName() string {
	if v.Tracer == nil {
		return NoTracer
	}
	return v.Tracer.Name
}

// Variant is the workload with a tracer and its settings, under a name of yours. Without keys its name is that of a tracer.
type Variant struct {
	_           struct{} `called:"a variant"`
	_           struct{} `refuse:"processes" text:"a variant brings no processes, a tracer does: write processes into a tracers/NAME/tracer.yaml of your own (docs/tracers.md), and tracer: NAME here"`
	Name        string
	Description string            `yaml:"description" as:"text"`                 // a line for the report
	Tracer      *Tracer           `yaml:"tracer" as:"own" shape:"Text"`          // 'tracetax list tracers'; otel means otel-LANGUAGE in the workload's language
	Settings    map[string]string `yaml:"settings" as:"own" shape:"Environment"` // of the tracer: 'tracetax show TRACER'
	On          []string          `yaml:"on" as:"own" shape:"Texts"`             // which processes are traced; default: all that are traced
	Env         map[string]string `yaml:"env" as:"userEnv"`                      // environment variables of the traced processes; wins over those of process, tracer and settings
	Args        []string          `yaml:"args" as:"arguments"`                   // words after the command of the traced processes
	Via         []Process         `yaml:"via" as:"own" shape:"HopOrHops"`        // a hop that its spans pass through, or a list in the order of a span's way
	To          *Process          `yaml:"to" as:"own" shape:"HopOrName"`         // a backend instead of the sink
	Against     string            `yaml:"against"`                               // a variant to compare with, besides the baseline
	Faults      *Faults           `yaml:"faults" as:"own"`                       // its own faults, instead of the experiment's of that name

	Chosen map[string]string // the settings that the user chose; Settings are all of the tracer, which is never nil
}

func (v *Variant) read(s *source, n *node, key string) {
	switch key { // tracer and settings are read before, since what others may say depends on them; faults by who knows the experiment's
	case "on":
		v.On = s.on(n, s.subject)
	case "via":
		v.Via = s.via(n, s.subject)
	case "to":
		v.To = s.to(n, s.subject)
	}
}

func (v Variant) write(w writer, key string) any {
	switch {
	case key == "tracer":
		return v.Tracer.Name
	case key == "settings" && len(v.Settings) > 0:
		return w.env(v.Settings)
	case key == "on" && len(v.On) > 0:
		return inline[string](v.On)
	case key == "via" && len(v.Via) > 0:
		hops := make([]Object, len(v.Via))
		for i, hop := range v.Via {
			hops[i] = w.hop(hop)
		}
		return hops
	case key == "to" && v.To != nil:
		return w.hop(*v.To)
	case key == "faults" && v.Faults != nil:
		return w.written(v.Faults, inExperiment)
	}
	return nil
}

// looker finds workloads and tracers by name; a *Catalog is one.
type looker interface {
	Workload(name string) (*Workload, error)
	Tracer(name string) (*Tracer, error)
}

// variants reads the variants of a workload; faults are the experiment's, which they may override.
func (s *source) variants(n *node, w *Workload, catalog looker, faults Faults) []Variant {
	if n.kind != mapping {
		s.fail(n.at, "variants must be a mapping of names to tracers, such as {none: , otel: {tracer: otel-python}}, not %s", n.kind)
		return nil
	}
	if len(n.entries) < 2 && !n.twice {
		s.fail(n.at, "variants needs at least two: the first is the baseline that the others are compared with")
	}
	defer func(before reading) { s.reading = before }(s.reading)
	s.subject = w
	var out []Variant
	for _, e := range n.entries {
		s.name(e.at, "variant", e.key)
		v := s.variant(e, w, catalog)
		if own := e.value.get("faults"); own != nil {
			changed := faults
			v.Faults = &changed
			s.decode(own, v.Faults)
		}
		s.against(e, &v, n.keys())
		out = append(out, v)
	}
	return out
}

func (s *source) variant(e entry, w *Workload, catalog looker) Variant {
	v := Variant{Name: e.key, Settings: map[string]string{}, Chosen: map[string]string{}, Env: map[string]string{}}
	n := e.value.asShort("tracer") // otel: otel-python
	tracer, settings, at := n.get("tracer"), n.get("settings"), e.at
	switch {
	case tracer != nil:
		at = tracer.at
		v.Tracer = s.tracerOf(at, s.line(tracer), w, catalog)
	case n.kind == null:
		v.Tracer = s.tracerCalled(e, w, catalog)
	case settings != nil:
		v.Tracer = s.tracerOf(e.at, e.key, w, catalog)
	default:
		v.Tracer = s.tracerNamedLike(e.key, w, catalog)
	}
	s.choose(&v, w, at, settings)
	if n.kind != null {
		s.known = append(w.placeholders(), v.Tracer.placeholders()...)
		s.decode(n, &v)
	}
	s.lacking(n, w, v.Tracer)
	s.apart(n, &v)
	v.adapt()
	on := e.at
	if n.get("on") != nil {
		on = n.get("on").at
	}
	s.fitting(&v, w, at, on)
	return v
}

// lacking complains of words in a variant for which neither its tracer nor its workload has anything.
func (s *source) lacking(n *node, w *Workload, t *Tracer) {
	for _, key := range []string{"env", "args"} {
		of := n.get(key)
		if of == nil {
			continue
		}
		if t.Name == NoTracer {
			s.empty(of, "tracer", "the variant has no tracer; name one (tracer: …), or write the whole path")
		}
		w.nothing(s, of)
	}
}

// nothing complains of words in a text below n for which the workload has nothing.
func (w *Workload) nothing(s *source, n *node) {
	if w.Artifact == (Artifact{}) {
		s.empty(n, "workload", "workload "+printable(w.Name)+" has no artifact: whose packages it would be; its folder is {dir}")
	}
	if len(w.Build) == 0 {
		s.empty(n, "build", "workload "+printable(w.Name)+" has no build: whose result it would be; its folder is {dir}")
	}
}

// tracerOf looks a tracer up. A name without a language, such as otel, means the
// one for the workload's language. One that is not found is told, and nil.
func (s *source) tracerOf(at place, name string, w *Workload, catalog looker) *Tracer {
	t, err := findTracer(name, w.Language, catalog)
	if err != nil {
		s.fail(at, "%v", err)
		return nil
	}
	if t.Language != "" && w.Language != "" && t.Language != w.Language {
		s.fail(at, "tracer %q is for %s, but workload %q is in %s", t.Name, t.Language, w.Name, w.Language)
	}
	return t
}

// tracerCalled looks up the tracer of a variant that is nothing but a name. One that is
// not found is told, and nil.
func (s *source) tracerCalled(e entry, w *Workload, catalog looker) *Tracer {
	_, err := findTracer(e.key, w.Language, catalog)
	var unknown *UnknownError
	if !errors.As(err, &unknown) || unknown.Nearest != "" || len(unknown.Related) > 0 {
		return s.tracerOf(e.at, e.key, w, catalog)
	}
	own := "NAME: {KEY: VALUE, …}"
	example := fmt.Sprintf("%s: {tracer: %s}", e.key, NoTracer)
	if e.at.flag != "" {
		own, example = "NAME:KEY=VALUE,…", fmt.Sprintf("%s:tracer=%s", e.key, NoTracer)
	}
	s.fail(e.at, "%v; a bare name is a tracer's, and a variant of your own is written %s, such as %s", err, own, printable(example))
	return nil
}

func findTracer(name, language string, catalog looker) (*Tracer, error) {
	t, err := catalog.Tracer(name)
	var unknown *UnknownError
	if !errors.As(err, &unknown) {
		return t, err
	}
	if language != "" {
		near := unknown.Nearest
		t, e := catalog.Tracer(name + "-" + language)
		if e == nil || !errors.As(e, &unknown) {
			return t, e
		}
		return nil, &UnknownError{What: "tracer", Name: printable(name), Nearest: cmp.Or(near, shortFor(name, unknown.Nearest, language))}
	}
	if near := unknown.Nearest; near != "" && len(near) > len(name) && near[:len(name)+1] == name+"-" {
		return nil, fmt.Errorf("tracer %q means %s-LANGUAGE, but the workload does not say its language; write the tracer's whole name, or language: under workload", name, name)
	}
	return nil, err
}

// shortFor is the tracer near in name-language, if it is name that is near too
// and not only the language.
func shortFor(name, near, language string) string {
	short, ok := strings.CutSuffix(near, "-"+language)
	if !ok || nearest.Word(name, []string{short}) == "" {
		return ""
	}
	return near
}

// tracerNamedLike is the tracer that a variant without the key tracer is called after, or none.
func (s *source) tracerNamedLike(name string, w *Workload, catalog looker) *Tracer {
	if t, err := findTracer(name, w.Language, catalog); err == nil {
		return t
	}
	t, err := catalog.Tracer(NoTracer)
	if err != nil {
		return &Tracer{Name: NoTracer}
	}
	return t
}

// choose fills in the settings of a variant: the user's, then the defaults. Of a tracer
// that was not found no setting is wrong: which it has is not known.
func (s *source) choose(v *Variant, w *Workload, at place, settings *node) {
	if v.Tracer == nil {
		v.Tracer = &Tracer{Name: NoTracer}
		return
	}
	for _, set := range v.Tracer.Settings {
		v.Settings[set.Name] = set.Default
	}
	if settings != nil {
		at = settings.at
		s.chosen(v, w, settings)
	}
	for _, set := range v.Tracer.Settings {
		if set.Asked && v.Settings[set.Name] == "" {
			s.fail(at, "tracer %s needs %s=…, for which it has no default: %s", v.Tracer.Name, set.Name, set.Description)
		}
	}
}

// chosen are the user's settings.
func (s *source) chosen(v *Variant, w *Workload, settings *node) {
	for _, e := range s.entries(settings, "settings") {
		set := v.Tracer.Setting(e.key)
		if set == nil {
			s.fail(e.at, "%s (of tracer %s)", s.unknownSetting(e.key, v.Tracer), v.Tracer.Name)
			continue
		}
		value, err := set.canonical(s.line(e.value))
		if err != nil {
			s.fail(e.value.at, "setting %s of tracer %s: %v", set.Name, v.Tracer.Name, err)
			continue
		}
		if set.Kind == "path" {
			s.placeholders(e.value.at, value, w.placeholders())
			w.nothing(s, e.value)
		}
		v.Settings[set.Name], v.Chosen[set.Name] = value, value
	}
}

func (s *source) unknownSetting(name string, t *Tracer) string {
	if len(t.Settings) == 0 {
		return fmt.Sprintf("unknown setting %q; there are none", printable(name))
	}
	return unknown("setting", printable(name), t.settingNames())
}

func (s *source) against(e entry, v *Variant, names []string) {
	if v.Against == "" {
		return
	}
	at := e.at
	if n := e.value.get("against"); n != nil {
		at = n.at
	}
	if v.Against == v.Name {
		s.fail(at, "variant %q is to be compared with itself", v.Name)
		return
	}
	for _, name := range names {
		if name == v.Against {
			return
		}
	}
	s.fail(at, "%s", unknown("variant", printable(v.Against), names))
}

// placeholders are the words that texts about this workload may hold.
func (w *Workload) placeholders() []string {
	out := append([]string{}, runPlaceholders...)
	for _, p := range w.Processes {
		out = append(out, p.portPlaceholders(p.FurtherPorts())...)
	}
	return out
}

// placeholders are the words of what the tracer brings, in texts about a process beside which that stands.
func (t *Tracer) placeholders() []string {
	var out []string
	for _, b := range t.Processes {
		out = append(out, b.portPlaceholders(further(b.words(t.template)))...)
	}
	return out
}

// portPlaceholders are the words for the port of a process and for its further ones.
func (p Process) portPlaceholders(further []string) []string {
	out := []string{p.Name + ".port"}
	for _, word := range further {
		out = append(out, p.Name+"."+word)
	}
	return out
}

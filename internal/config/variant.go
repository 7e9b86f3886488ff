// Variants of an experiment.

package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/suggest"
)

// TracerName is the name of the variant's tracer; program.NoTracer where it has none.
func (v Variant) TracerName() string {
	if v.Tracer == nil {
		return program.NoTracer
	}
	return v.Tracer.Name
}

// Variant is the workload with a tracer and its settings, under a name of yours. Without keys its name is that of a tracer.
type Variant struct {
	_           struct{} `called:"a variant"`
	_           struct{} `refuse:"processes" text:"a variant brings no processes, a tracer does: write processes into a tracers/NAME/tracer.yaml of your own (docs/tracers.md), and tracer: NAME here"`
	Name        string
	Description string            `yaml:"description" as:"text"`                 // a line for the report
	Tracer      *program.Tracer   `yaml:"tracer" as:"own" shape:"Text"`          // 'tracetax list tracers'; otel means otel-LANGUAGE in the workload's language
	Settings    map[string]string `yaml:"settings" as:"own" shape:"Environment"` // of the tracer: 'tracetax show TRACER'
	On          []string          `yaml:"on" as:"own" shape:"Texts"`             // which processes are traced; default: all that are traced
	Replicas    int               `yaml:"replicas" range:"1..100"`               // of a workload with a topology: processes of each service that others call; default: as the topology says
	Env         map[string]string `yaml:"env" as:"userEnv"`                      // environment variables of the traced processes; wins over those of process, tracer and settings
	Image       string            `yaml:"image" as:"image"`                      // of the traced processes that run in one, instead of theirs
	InPods      `yaml:",inline"`
	Args        []string          `yaml:"args" as:"arguments"`                      // words after the command of the traced processes
	Via         []program.Process `yaml:"via" as:"own" shape:"HopOrHops"`           // a hop that its spans pass through, or a list in the order of a span's way
	To          *program.Process  `yaml:"to" as:"own" shape:"HopOrName"`            // a backend instead of the sink
	Against     string            `yaml:"against"`                                  // a variant to compare with, besides the baseline
	Capture     Capture           `yaml:"capture" as:"own" shape:"CaptureOrTracer"` // a tracer that captures packets beside the variant's own, such as packets: spans and packets are then of one run
	Faults      *Faults           `yaml:"faults" as:"own"`                          // its own faults, instead of the experiment's of that name

	Chosen map[string]string // the settings that the user chose; Settings are all of the tracer, which is never nil
}

func (v *Variant) ReadKey(s *program.Source, n *program.Node, key string) {
	switch key { // tracer and settings are read before, since what others may say depends on them; on behind replicas; faults by who knows the experiment's
	case "via":
		v.Via = s.Via(n, s.Subject)
	case "to":
		v.To = s.To(n, s.Subject)
	}
}

func (v Variant) WriteKey(w program.Writer, key string) any {
	switch {
	case key == "tracer":
		return v.Tracer.Name
	case key == "settings" && len(v.Settings) > 0:
		return w.Env(v.Settings)
	case key == "on" && len(v.On) > 0:
		return program.Inline[string](v.On)
	case key == "via" && len(v.Via) > 0:
		hops := make([]program.Object, len(v.Via))
		for i, hop := range v.Via {
			hops[i] = w.Hop(hop)
		}
		return hops
	case key == "to" && v.To != nil:
		return w.Hop(*v.To)
	case key == "capture" && v.Capture.Tracer != nil:
		return w.Written(&v.Capture, program.InExperiment)
	case key == "faults" && v.Faults != nil:
		return w.Written(v.Faults, program.InExperiment)
	}
	return nil
}

// looker finds workloads and tracers by name; a *Catalog is one.
type looker interface {
	Workload(name string) (*program.Workload, error)
	Tracer(name string) (*program.Tracer, error)
}

// readVariants reads the variants of a workload; faults are the experiment's, which they may override.
func readVariants(s *program.Source, n *program.Node, w *program.Workload, catalog looker, faults Faults) []Variant {
	if n.Kind != program.Mapping {
		s.Fail(n.At, "variants must be a mapping of names to tracers, such as {none: , otel: {tracer: otel-python}}, not %s", n.Kind)
		return nil
	}
	if len(n.Entries) < 2 && !n.Twice {
		s.Fail(n.At, "variants needs at least two: the first is the baseline that the others are compared with")
	}
	defer func(before program.Reading) { s.Reading = before }(s.Reading)
	s.Subject = w
	var out []Variant
	for _, e := range n.Entries {
		s.Name(e.At, "variant", e.Key)
		v := readVariant(s, e, w, catalog)
		if own := e.Value.Get("faults"); own != nil {
			changed := faults
			v.Faults = &changed
			s.Decode(own, v.Faults)
		}
		checkAgainst(s, e, &v, n.Keys())
		out = append(out, v)
	}
	return out
}

func readVariant(s *program.Source, e program.Entry, w *program.Workload, catalog looker) Variant {
	v := Variant{Name: e.Key, Settings: map[string]string{}, Chosen: map[string]string{}, Env: map[string]string{}}
	n := e.Value.AsShort("tracer") // otel: otel-python
	tracer, settings, at := n.Get("tracer"), n.Get("settings"), e.At
	switch {
	case tracer != nil:
		at = tracer.At
		v.Tracer = lookUpTracer(s, at, s.Line(tracer), w, catalog)
	case n.Kind == program.Null:
		v.Tracer = tracerCalled(s, e, w, catalog)
	case n.Get("inject") != nil: // it is the Operator's, whatever the variant is called
		v.Tracer = &program.Tracer{Name: program.NoTracer}
		if t, err := catalog.Tracer(program.NoTracer); err == nil {
			v.Tracer = t
		}
	case settings != nil:
		v.Tracer = lookUpTracer(s, e.At, e.Key, w, catalog)
	default:
		v.Tracer = tracerNamedLike(s, e.Key, w, catalog)
	}
	chooseSettings(s, &v, w, at, settings)
	if n.Kind != program.Null {
		s.Known = append(w.Placeholders(), v.Tracer.Placeholders()...)
		s.Decode(n, &v)
	}
	if capture := n.Get("capture"); capture != nil {
		readCapture(s, capture, &v, w, catalog)
	}
	if v.Replicas > 0 {
		if more, err := w.Replicated(v.Replicas); err != nil {
			s.Fail(n.Get("replicas").At, "%v", err)
		} else {
			w = more
		}
	}
	on := e.At
	if which := n.Get("on"); which != nil {
		on, v.On = which.At, readOn(s, which, w)
	}
	imaged := slices.ContainsFunc(w.Processes, func(p program.Process) bool { return p.InImage() && v.Traces(p) })
	if image := n.Get("image"); image != nil && !imaged {
		s.Fail(image.At, "image takes the place of that of a traced process, and none has one: write image into the process, too")
	}
	checkInPods(s, n, v.InPods, v.Tracer.Name, imaged)
	checkLacking(s, n, w, v.Tracer)
	checkApart(s, n, &v)
	v.adapt()
	checkFitting(s, &v, w, at, on)
	return v
}

// checkLacking complains of words in a variant for which neither its tracer nor its workload has anything.
func checkLacking(s *program.Source, n *program.Node, w *program.Workload, t *program.Tracer) {
	for _, key := range []string{"env", "args"} {
		of := n.Get(key)
		if of == nil {
			continue
		}
		if t.Name == program.NoTracer {
			s.Empty(of, "tracer", "the variant has no tracer; name one (tracer: …), or write the whole path")
		}
		w.Nothing(s, of)
	}
}

// lookUpTracer looks a tracer up. A name without a language, such as otel, means the
// one for the workload's language. One that is not found is told, and nil.
func lookUpTracer(s *program.Source, at program.Place, name string, w *program.Workload, catalog looker) *program.Tracer {
	t, err := findTracer(name, w.Language, catalog)
	if err != nil {
		s.Fail(at, "%v", err)
		return nil
	}
	if t.Language != "" && w.Language != "" && t.Language != w.Language {
		s.Fail(at, "tracer %q is for %s, but workload %q is in %s", t.Name, t.Language, w.Name, w.Language)
	}
	return t
}

// tracerCalled looks up the tracer of a variant that is nothing but a name. One that is
// not found is told, and nil.
func tracerCalled(s *program.Source, e program.Entry, w *program.Workload, catalog looker) *program.Tracer {
	_, err := findTracer(e.Key, w.Language, catalog)
	var unknown *program.UnknownError
	if !errors.As(err, &unknown) || unknown.Nearest != "" || len(unknown.Related) > 0 {
		return lookUpTracer(s, e.At, e.Key, w, catalog)
	}
	own := "NAME: {KEY: VALUE, …}"
	example := fmt.Sprintf("%s: {tracer: %s}", e.Key, program.NoTracer)
	if e.At.Flag != "" {
		own, example = "NAME:KEY=VALUE,…", fmt.Sprintf("%s:tracer=%s", e.Key, program.NoTracer)
	}
	s.Fail(e.At, "%v; a bare name is a tracer's, and a variant of your own is written %s, such as %s", err, own, program.Printable(example))
	return nil
}

func findTracer(name, language string, catalog looker) (*program.Tracer, error) {
	t, err := catalog.Tracer(name)
	var unknown *program.UnknownError
	if !errors.As(err, &unknown) {
		return t, err
	}
	if language != "" {
		near := unknown.Nearest
		t, e := catalog.Tracer(name + "-" + language)
		if e == nil || !errors.As(e, &unknown) {
			return t, e
		}
		return nil, &program.UnknownError{What: "tracer", Name: program.Printable(name), Nearest: cmp.Or(near, shortFor(name, unknown.Nearest, language))}
	}
	if near := unknown.Nearest; near != "" && len(near) > len(name) && near[:len(name)+1] == name+"-" {
		return nil, fmt.Errorf("tracer %q means %s-LANGUAGE, but the workload does not say its language; write the tracer's whole name, or language: under workload (--set workload.language=python)", name, name)
	}
	return nil, err
}

// shortFor is the tracer near in name-language, if it is name that is near too
// and not only the language.
func shortFor(name, near, language string) string {
	short, ok := strings.CutSuffix(near, "-"+language)
	if !ok || suggest.Word(name, []string{short}) == "" {
		return ""
	}
	return near
}

// tracerNamedLike is the tracer that a variant without the key tracer is called after, or none.
func tracerNamedLike(s *program.Source, name string, w *program.Workload, catalog looker) *program.Tracer {
	if t, err := findTracer(name, w.Language, catalog); err == nil {
		return t
	}
	t, err := catalog.Tracer(program.NoTracer)
	if err != nil {
		return &program.Tracer{Name: program.NoTracer}
	}
	return t
}

// chooseSettings fills in the settings of a variant: the user's, then the defaults. Of a tracer
// that was not found no setting is wrong: which it has is not known.
func chooseSettings(s *program.Source, v *Variant, w *program.Workload, at program.Place, settings *program.Node) {
	if v.Tracer == nil {
		v.Tracer = &program.Tracer{Name: program.NoTracer}
		return
	}
	for _, set := range v.Tracer.Settings {
		v.Settings[set.Name] = set.Default
	}
	if settings != nil {
		at = settings.At
		readChosen(s, v, w, settings)
	}
	for _, set := range v.Tracer.Settings {
		if set.Asked && v.Settings[set.Name] == "" {
			s.Fail(at, "tracer %s needs %s=…, for which it has no default: %s", v.Tracer.Name, set.Name, set.Description)
		}
	}
}

// readChosen are the user's settings.
func readChosen(s *program.Source, v *Variant, w *program.Workload, settings *program.Node) {
	for _, e := range s.Entries(settings, "settings") {
		set := v.Tracer.Setting(e.Key)
		if set == nil {
			s.Fail(e.At, "%s (of tracer %s)", unknownSetting(s, e.Key, v.Tracer), v.Tracer.Name)
			continue
		}
		value, err := set.Canonical(s.Line(e.Value))
		if err != nil {
			s.Fail(e.Value.At, "setting %s of tracer %s: %v", set.Name, v.Tracer.Name, err)
			continue
		}
		if set.Kind == "path" {
			s.Placeholders(e.Value.At, value, w.Placeholders())
			w.Nothing(s, e.Value)
		}
		v.Settings[set.Name], v.Chosen[set.Name] = value, value
	}
	mute := program.Mute(v.Tracer.Settings, v.Settings)
	for _, e := range s.Entries(settings, "settings") {
		set := v.Tracer.Setting(e.Key)
		if by := mute[e.Key]; by != "" && set != nil && v.Settings[e.Key] != set.Default {
			s.Fail(e.Value.At, "setting %s of tracer %s says nothing with %s=%s; leave one of them out", e.Key, v.Tracer.Name, by, v.Settings[by])
		}
	}
}

func unknownSetting(s *program.Source, name string, t *program.Tracer) string {
	if len(t.Settings) == 0 {
		return fmt.Sprintf("unknown setting %q; there are none", program.Printable(name))
	}
	return program.Unknown("setting", program.Printable(name), t.SettingNames())
}

func checkAgainst(s *program.Source, e program.Entry, v *Variant, names []string) {
	if v.Against == "" {
		return
	}
	at := e.At
	if n := e.Value.Get("against"); n != nil {
		at = n.At
	}
	if v.Against == v.Name {
		s.Fail(at, "variant %q is to be compared with itself", v.Name)
		return
	}
	for _, name := range names {
		if name == v.Against {
			return
		}
	}
	s.Fail(at, "%s", program.Unknown("variant", program.Printable(v.Against), names))
}

// Settings that lose spans beside another.

// Beyond says which variants have a setting above the one that it has to be within, as a tracer's file declares.
func (e *Experiment) Beyond() []string {
	var out []string
	for _, v := range e.Variants {
		if v.Tracer == nil {
			continue
		}
		for _, s := range v.Tracer.Settings {
			if s.Within == "" {
				continue
			}
			value, wrong := strconv.Atoi(v.Settings[s.Name])
			most, none := strconv.Atoi(v.Settings[s.Within])
			if wrong == nil && none == nil && value > most {
				out = append(out, fmt.Sprintf("variant %q: %s (%d) is above %s (%d), with which its tracer loses spans, or sends none; give it %d at most, or raise %s",
					program.Printable(v.Name), s.Name, value, s.Within, most, most, s.Within))
			}
		}
	}
	return out
}

// sinkMark begins the placeholders of where the sink is.
const sinkMark = "{sink."

// templates are the texts of some of the tracer's files with the variant's settings in
// them. It fails where a file is not there or names a setting that the tracer has not got.
func (v Variant) templates(names []string) (map[string]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	words := v.settingWords()
	out := map[string]string{}
	for _, name := range names {
		content, err := fs.ReadFile(v.Tracer.Files, name)
		if err != nil {
			return nil, fmt.Errorf("reading the template %s of tracer %s: %w", name, v.Tracer.Name, err)
		}
		text, missing := program.WithSettings(string(content), words)
		out[name] = text
		if missing != "" {
			return nil, fmt.Errorf("template %s of tracer %s: there is no {%s}", name, v.Tracer.Name, missing)
		}
	}
	return out, nil
}

// settingWords are the words of all settings of the variant.
func (v Variant) settingWords() map[string]string {
	return program.WordsOfSettings(v.Tracer.Settings, v.Settings)
}

// Speaker is a source of counts of spans: the tracer, or the processes that it brought under a name.
type Speaker struct {
	Brought string // ""; or as in the tracer's file
	Says    []program.Saying
}

// Speakers lists the speakers of a plan, each once.
func (p *Plan) Speakers() []Speaker {
	out := []Speaker{{"", p.Says}}
	for _, one := range p.Processes {
		if one.Says != nil && !slices.ContainsFunc(out, func(s Speaker) bool { return s.Brought == one.Placed.Name }) {
			out = append(out, Speaker{one.Placed.Name, one.Says})
		}
	}
	return out
}

// Texts are all texts of the plan that the run fills in: commands, environments and
// templates.
func (p *Plan) Texts() []string { return p.textsOf(func(string) bool { return true }) }

// textsOf returns the texts of certain processes and the tracer's templates.
func (p *Plan) textsOf(is func(process string) bool) []string {
	var out []string
	for _, one := range p.Processes {
		if !is(one.Name) {
			continue
		}
		out = append(out, one.Run...)
		for value := range maps.Values(one.Env) {
			out = append(out, value)
		}
		for text := range maps.Values(one.Templates) {
			out = append(out, text)
		}
	}
	return out
}

// NamesSink reports whether any process but the hops and the backend gets an address of the sink.
func (p *Plan) NamesSink() bool {
	return slices.ContainsFunc(p.textsOf(p.noHop), func(text string) bool { return strings.Contains(text, sinkMark) })
}

// noHop reports whether a process is none of those that spans go to.
func (p *Plan) noHop(process string) bool { return !slices.Contains(p.Route(), process) }

var notName = regexp.MustCompile(`[^a-z0-9_-]+`)

// programName is a name for a process, from its command.
func programName(command []string) string {
	if len(command) == 0 {
		return "own"
	}
	command = behindEnv(command)
	program := command[0]
	if replaced := execed(command); replaced != "" {
		program = replaced
	}
	base := strings.ToLower(filepath.Base(program))
	name := strings.TrimLeft(notName.ReplaceAllString(strings.TrimSuffix(base, filepath.Ext(base)), "-"), "0123456789-_")
	if len(name) > 40 {
		name = name[:40]
	}
	if name == "" {
		return "own"
	}
	return name
}

var (
	shell      = regexp.MustCompile(`^(sh|bash|dash|ash|ksh|zsh)$`)
	shellFlags = regexp.MustCompile(`^-[a-z]*c[a-z]*$`)
	execWords  = regexp.MustCompile(`(?:^|[\s;&|({])exec((?:[ \t]+[^\s;&|<>]+)+)`)
	assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)
	plainWord  = regexp.MustCompile(`^[A-Za-z_./{][A-Za-z0-9_./{}+-]*$`)
)

// behindEnv is the command that env starts with variables, or the command itself.
func behindEnv(command []string) []string {
	if path.Base(command[0]) != "env" {
		return command
	}
	for i, w := range command[1:] {
		switch {
		case assignment.MatchString(w):
		case strings.HasPrefix(w, "-"): // a flag of env, which may have a word of its own
			return command
		default:
			return command[i+1:]
		}
	}
	return command
}

// execed is the program that a script of sh -c replaces the shell with, or "".
func execed(command []string) string {
	if len(command) < 3 || !shell.MatchString(path.Base(command[0])) || !shellFlags.MatchString(command[1]) {
		return ""
	}
	for _, found := range execWords.FindAllStringSubmatch(command[2], -1) {
		for _, w := range strings.Fields(found[1]) {
			w = strings.Trim(w, `"'`)
			if w == "env" || assignment.MatchString(w) {
				continue
			}
			if plainWord.MatchString(w) {
				return w
			}
			break
		}
	}
	return ""
}

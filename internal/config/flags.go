// An experiment from the command line, without a file.

package config

import (
	"cmp"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/config/program"
)

// Flags are the words of 'tracetax run --op … --variant … -- COMMAND'.
type Flags struct {
	Graph    string   // a topology file instead of a command and operations; "" is none
	Command  []string // what follows --; may hold {port}
	Image    string   // of a container in which the command runs; "" is none, and without a command it is the image's own
	Deployed string   // a Deployment that is the service, instead of a command; "" is none
	Manifest string   // a file of objects that has the Deployment, or another one with pods; "": the cluster has it
	Dir      string   // where it is started; "" is here
	Env      []string // NAME=VALUE, for all variants
	Ready    string   // http://…, a path, tcp://host:port or log:REGEXP; "" is a connection to its port
	Ops      []string // "GET /x", "/x" or "name=POST /y"
	Function string   // instead of Ops: a handler such as app.handler, whose runtime the command is
	Variants []string // "none", "otel-python" or "name:key=value,…"
	Sets     Sets     // further keys
}

// FromFlags makes an experiment of the flags, by the rules of an experiment
// file. Errors name the flag.
func FromFlags(f Flags, catalog *program.Catalog) (*Experiment, error) {
	dir := f.Dir
	if dir == "" {
		dir = "."
	}
	b := flagBuilder{Flags: f, Source: &program.Source{File: "command line", Open: opener(dir), Folder: dir}}
	if err := b.notAnExperiment(catalog); err != nil {
		return nil, err
	}
	root := b.root()
	if err := b.Err(); err != nil {
		return nil, err
	}
	given := f.Sets
	for _, one := range f.Sets {
		if one.Path == "name" && !given.Has("workload.name") {
			given = append(Sets{{"workload.name", one.Value, one.Flag}}, given...)
		}
	}
	es := readExperiments(b.Source, root, b.name(), dir, catalog, given)
	if err := b.Err(); err != nil {
		return nil, err
	}
	return es[0], nil
}

// flagBuilder makes of flags the tree that a file would have given, with the
// flags as the places.
type flagBuilder struct {
	Flags
	*program.Source
}

func (b *flagBuilder) name() string {
	if b.Flags.Graph != "" {
		return program.GraphName(b.Flags.Graph)
	}
	return b.programName()
}

// programName is the name of the command's program, or of its image: shop of registry.example/shop:1.2.
func (b *flagBuilder) programName() string {
	if of := cmp.Or(b.Deployed, b.Manifest); of != "" {
		return programName([]string{of})
	}
	if b.Image == "" {
		return programName(b.Command)
	}
	base, _, _ := strings.Cut(path.Base(b.Image), "@")
	base, _, _ = strings.Cut(base, ":")
	return programName([]string{base})
}

// notAnExperiment complains of an experiment in the place of the command.
func (b *flagBuilder) notAnExperiment(catalog *program.Catalog) error {
	if len(b.Command) != 1 {
		return nil
	}
	name := b.Command[0]
	ext := filepath.Ext(name)
	file := (ext == ".yaml" || ext == ".yml") && regular(name)
	if !file {
		names, err := catalog.Experiments()
		if err != nil || !slices.Contains(names, name) {
			return err
		}
	}
	var given []string
	for flag, values := range map[string][]string{"--op": b.Ops, "--variant": b.Variants} {
		if len(values) > 0 {
			given = append(given, flag)
		}
	}
	slices.Sort(given)
	if len(given) == 0 {
		given = []string{"--"}
	}
	flags := strings.Join(given, " and ")
	b.Fail(program.Place{Flag: flags}, "%q is an experiment, not a command: put your command after --; to run the experiment leave out %s", program.Printable(name), flags)
	return b.Err()
}

func (b *flagBuilder) root() *program.Node {
	command := "-- " + quote(strings.Join(b.Command, " "))
	if b.Flags.Graph != "" {
		b.onlyGraph()
	} else if len(b.Command) == 0 && b.Image == "" && b.Deployed == "" && b.Manifest == "" {
		b.Fail(program.Place{Flag: "--"}, "what is to be started is missing: tracetax run --op 'GET /' --variant … -- COMMAND")
	}
	if len(b.Ops) == 0 && b.Function == "" && b.Flags.Graph == "" {
		b.Fail(program.Place{Flag: "--op"}, "at least one operation is needed, such as --op 'GET /'")
	}
	if len(b.Variants) < 2 {
		b.Fail(program.Place{Flag: "--variant"}, "at least two variants are needed; the first is the baseline: --variant none --variant 'otel:tracer=otel-python'")
	}
	root := tree("")
	if b.Image != "" && (b.Function != "" || b.Flags.Graph != "") {
		b.Fail(program.Place{Flag: "--image " + quote(b.Image)}, "an image holds a service of your own, and --function and --graph bring their own processes; leave one of them out")
	}
	if b.Function != "" {
		root.Set("workload", b.functionWorkload(command))
	} else {
		root.Set("workload", b.workload(command))
	}
	root.Set("variants", b.variantTree())
	return root
}

// onlyGraph complains of flags that are for a service of one's own.
func (b *flagBuilder) onlyGraph() {
	b.without("it describes a service of your own, and --graph "+quote(b.Flags.Graph)+" brings its processes and operations; leave one of them out",
		map[string]bool{"--": len(b.Command) > 0, "--op": len(b.Ops) > 0, "--env": len(b.Env) > 0, "--ready": b.Ready != "", "--function": b.Function != ""})
}

// without complains of flags that are given.
func (b *flagBuilder) without(why string, given map[string]bool) {
	for _, flag := range slices.Sorted(maps.Keys(given)) {
		if given[flag] {
			b.Fail(program.Place{Flag: flag}, "%s", why)
		}
	}
}

// The parts of the tree that is made of flags.

// quote shows a flag's value as one would type it.
func quote(value string) string {
	if value != "" && !strings.ContainsAny(value, " \t'\"$&|;<>()*?{}[]\\") {
		return value
	}
	return "'" + strings.ReplaceAll(program.Printable(value), "'", `'\''`) + "'"
}

// word is a scalar at a flag.
func word(flag, text string) *program.Node {
	return &program.Node{Kind: program.Scalar, Text: text, At: program.Place{Flag: flag}}
}

func tree(flag string) *program.Node {
	return &program.Node{Kind: program.Mapping, At: program.Place{Flag: flag}}
}

// words is a list of scalars at a flag.
func words(flag string, texts ...string) *program.Node {
	out := &program.Node{Kind: program.List, At: program.Place{Flag: flag}}
	for _, text := range texts {
		out.Items = append(out.Items, word(flag, text))
	}
	return out
}

// list is a list at a flag.
func list(flag string, items ...*program.Node) *program.Node {
	return &program.Node{Kind: program.List, Items: items, At: program.Place{Flag: flag}}
}

// workload is the command as the one process, and its operations; or a topology. Command is the flag of the command.
func (b *flagBuilder) workload(command string) *program.Node {
	w := tree("")
	if b.Flags.Graph != "" {
		w.Set("topology", word("--graph "+quote(b.Flags.Graph), b.Flags.Graph))
		return w
	}
	process := tree(command)
	process.Set("name", word(command, b.programName()))
	if b.Image != "" {
		process.Set("image", word("--image "+quote(b.Image), b.Image))
	}
	if b.Deployed != "" {
		process.Set("deployment", word("--deployment "+quote(b.Deployed), b.Deployed))
	}
	if b.Manifest != "" {
		process.Set("manifests", word("--manifests "+quote(b.Manifest), b.Manifest))
	}
	if len(b.Command) > 0 {
		process.Set("run", words(command, b.Command...))
	}
	if len(b.Env) > 0 {
		process.Set("env", b.assignments("--env", b.Env))
	}
	if ready := b.Ready; ready != "" {
		if ready[0] == '/' {
			ready = "http://127.0.0.1:{port}" + ready
		}
		process.Set("ready", word("--ready "+quote(b.Ready), ready))
	}
	w.Set("processes", list(command, process))
	w.Set("operations", b.operations())
	return w
}

func (b *flagBuilder) assignments(flag string, all []string) *program.Node {
	out := tree(flag)
	for _, text := range all {
		name, value, ok := strings.Cut(text, "=")
		at := flag + " " + quote(text)
		if !ok {
			b.Fail(program.Place{Flag: at}, "write NAME=VALUE")
			continue
		}
		if out.Get(name) != nil {
			b.Fail(program.Place{Flag: at}, "%s has a value already: give it once", program.Printable(name))
			continue
		}
		out.Set(name, word(at, value))
	}
	return out
}

var namedOperation = regexp.MustCompile(`^([A-Za-z0-9_.-]+)=(.*)$`)

func (b *flagBuilder) operations() *program.Node {
	out := tree("--op")
	for _, text := range b.Ops {
		flag := "--op " + quote(text)
		name, request := program.NameOf(strings.TrimSpace(text)), strings.TrimSpace(text)
		if m := namedOperation.FindStringSubmatch(text); m != nil {
			name, request = m[1], strings.TrimSpace(m[2])
		}
		if out.Get(name) != nil {
			b.Fail(program.Place{Flag: flag}, "a second operation called %q; name them: --op 'NAME=GET /'", program.Printable(name))
			continue
		}
		o := tree(flag)
		o.Set("request", word(flag, request))
		out.Set(name, o)
	}
	return out
}

func (b *flagBuilder) variantTree() *program.Node {
	out := tree("--variant")
	for _, text := range b.Variants {
		flag := "--variant " + quote(text)
		name, rest, colon := strings.Cut(text, ":")
		v := &program.Node{At: program.Place{Flag: flag}}
		if colon {
			v = b.variantOf(flag, rest)
		}
		if out.Get(name) != nil {
			b.Fail(v.At, "a second variant called %q", program.Printable(name))
			continue
		}
		out.Set(name, v)
	}
	return out
}

// wordKeys are the keys of a variant that one word says.
var wordKeys = []string{"tracer", "image", "replicas", "via", "to", "against", "capture", "description", "inject", "instrumentation"}

// variantOf reads "tracer=otel-python,sampling=10%,env.NAME=x,arg=--verbose,via=collector,via.keep=errors".
func (b *flagBuilder) variantOf(flag, text string) *program.Node {
	v, settings, hop := tree(flag), tree(flag), tree(flag)
	args, on := list(flag), list(flag)
	named := map[string]*program.Node{"env": tree(flag), "annotations": tree(flag), "labels": tree(flag)} // env.NAME
	for _, part := range splitPairs(text) {
		key, value, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		first, name, dotted := strings.Cut(key, ".")
		ofHop, isHop := strings.CutPrefix(key, "via.")
		switch {
		case !ok:
			b.Fail(v.At, "%q is not KEY=VALUE; a variant is NAME:KEY=VALUE,…", program.Printable(part))
		case dotted && named[first] != nil:
			named[first].Set(name, word(flag, value))
		case isHop:
			hop.Set(ofHop, word(flag, value))
		case key == "arg":
			args.Items = append(args.Items, word(flag, value))
		case key == "on":
			on.Items = append(on.Items, word(flag, value))
		case slices.Contains(wordKeys, key):
			v.Set(key, word(flag, value))
		default:
			settings.Set(key, word(flag, value))
		}
	}
	for i, of := range []*program.Node{settings, named["env"], args, on, named["annotations"], named["labels"]} {
		if len(of.Entries)+len(of.Items) > 0 {
			v.Set([]string{"settings", "env", "args", "on", "annotations", "labels"}[i], of)
		}
	}
	switch name := v.Get("via"); {
	case len(hop.Entries) == 0:
	case name == nil:
		b.Fail(v.At, "via.%s is of a hop, and the variant has none: write via=collector before it", hop.Entries[0].Key)
	default:
		one := *name
		*name = *tree(flag)
		name.Set(one.Text, hop)
	}
	return v
}

// splitPairs splits at commas; a backslash before a comma keeps it.
func splitPairs(text string) []string {
	const kept = "\x00"
	parts := strings.Split(strings.ReplaceAll(text, `\,`, kept), ",")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], kept, ",")
	}
	return parts
}

// handled is the name that the function has on the platform.
const handled = "function"

// functionWorkload returns a platform with the function; the command starts the client of its runtime.
func (b *flagBuilder) functionWorkload(command string) *program.Node {
	at := "--function " + quote(b.Function)
	b.without("a function has one operation, its invocation, and its platform knows when it is ready; leave this out",
		map[string]bool{"--op": len(b.Ops) > 0, "--ready": b.Ready != ""})
	if strings.ContainsAny(b.Function, ", \t{}") || !strings.Contains(b.Function, ".") {
		b.Fail(program.Place{Flag: at}, "a handler is FILE.NAME, such as app.handler")
	}
	platform := tree(at)
	platform.Set("name", word(at, "platform"))
	platform.Set("role", word(at, "platform"))
	platform.Set("run", words(at, "{tracetax}", "agent", "platform", "--listen=127.0.0.1:{port}", "--control=127.0.0.1:{port.control}",
		"--function="+handled+"="+b.Function+",memory=1024,timeout=60s"))
	platform.Set("ready", word(at, "http://127.0.0.1:{port}/healthz"))

	app := tree(command)
	app.Set("name", word(command, "app"))
	app.Set("run", words(at, "{tracetax}", "agent", "environments", "--platform=127.0.0.1:{platform.port.control}", "--scratch={tmp}", "--"))
	app.Set("starts", words(command, b.runtime()...))
	app.Set("ready", word(command, "log:ready for invocations"))
	if len(b.Env) > 0 {
		app.Set("env", b.assignments("--env", b.Env))
	}

	invocation := tree(at)
	invocation.Set("process", word(at, "platform"))
	invocation.Set("request", word(at, "POST /2015-03-31/functions/"+handled+"/invocations"))
	operations := tree(at)
	operations.Set(b.Function, invocation)

	w := tree("")
	w.Set("name", word(at, b.Function))
	w.Set("processes", list(at, platform, app))
	w.Set("operations", operations)
	return w
}

// runtime is the command of the runtime's client: AWS's own of Python where the command is Python alone, otherwise what was
// written.
func (b *flagBuilder) runtime() []string {
	if len(b.Command) == 1 && strings.HasPrefix(path.Base(b.Command[0]), "python") {
		return append(slices.Clone(b.Command), "-m", "awslambdaric", b.Function)
	}
	return b.Command
}

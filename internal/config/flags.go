// An experiment from the command line, without a file.

package config

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Flags are the words of 'tracetax run --op … --variant … -- COMMAND'.
type Flags struct {
	Name     string   // of the experiment; "" is the command's
	Graph    string   // a topology file instead of a command and operations; "" is none
	Command  []string // what follows --; may hold {port}
	Dir      string   // where it is started; "" is here
	Language string   // of the program, so that --variant otel means otel-LANGUAGE
	Port     int      // where it listens, if it cannot be told by {port}; 0: it can
	Env      []string // NAME=VALUE, for all variants
	Prepare  string   // command before each run; "" is none
	Cleanup  string   // command after each run; "" is none
	Patience string   // how long it may take to become ready; "" is the default
	Ready    string   // http://…, a path, tcp://host:port or log:REGEXP; "" is a connection to its port
	Ops      []string // "GET /x", "/x" or "name=POST /y"
	Headers  []string // "Name: value", for all operations
	Body     string   // text or @file, for all operations
	Function string   // instead of Ops: a handler such as app.handler, whose runtime the command is
	Event    string   // the file of its event; "" is {}
	Variants []string // "none", "otel-python" or "name:key=value,…"

	Rate        string // "400/s", "100/s,200/s" or "50% of slowest"; "" is the default, unless one of the next two is set
	Connections string // "4" or "1,2,4"
	Capacity    string // "cpu=75%,…": keys and values of a search
	Duration    string // "" is the default, as below
	Warmup      string
	Blocks      string // "12" or "8..30"
	Precision   string // "2%" or "2% of latency_p99"
	Seed        uint64
	Budget      string // "cpu=3%,p99=5%,lost=0"
}

// FromFlags makes an experiment of the flags, by the rules of an experiment
// file. Errors name the flag.
func FromFlags(f Flags, catalog *Catalog) (*Experiment, error) {
	dir := f.Dir
	if dir == "" {
		dir = "."
	}
	b := flagBuilder{Flags: f, source: &source{file: "command line", open: opener(dir), folder: dir}}
	if err := b.notAnExperiment(catalog); err != nil {
		return nil, err
	}
	root := b.root()
	if err := b.err(); err != nil {
		return nil, err
	}
	es := b.experiments(root, b.name(), dir, catalog)
	if err := b.err(); err != nil {
		return nil, err
	}
	return es[0], nil
}

// flagBuilder makes of flags the tree that a file would have given, with the
// flags as the places.
type flagBuilder struct {
	Flags
	*source
}

func (b *flagBuilder) name() string {
	if b.Flags.Name != "" {
		return b.Flags.Name
	}
	if b.Graph != "" {
		return graphName(b.Graph)
	}
	return programName(b.Command)
}

// notAnExperiment complains of an experiment in the place of the command.
func (b *flagBuilder) notAnExperiment(catalog *Catalog) error {
	if len(b.Command) != 1 || b.Port != 0 {
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
	b.fail(place{flag: flags}, "%q is an experiment, not a command: put your command after --; to run the experiment leave out %s", printable(name), flags)
	return b.err()
}

func (b *flagBuilder) root() *node {
	command := place{flag: "-- " + quote(strings.Join(b.Command, " "))}
	if b.Graph != "" {
		b.onlyGraph()
	} else if len(b.Command) == 0 {
		b.fail(place{flag: "--"}, "what is to be started is missing: tracetax run --op 'GET /' --variant … -- COMMAND")
	}
	if len(b.Ops) == 0 && b.Function == "" && b.Graph == "" {
		b.fail(place{flag: "--op"}, "at least one operation is needed, such as --op 'GET /'")
	}
	if len(b.Variants) < 2 {
		b.fail(place{flag: "--variant"}, "at least two variants are needed; the first is the baseline: --variant none --variant 'otel:tracer=otel-python'")
	}
	b.checkPort()
	root := tree("")
	b.word(root, "name", b.Flags.Name)
	if b.Function != "" {
		root.set("workload", b.functionWorkload(command))
	} else {
		root.set("workload", b.workload(command))
	}
	root.set("variants", b.variantTree())
	root.set("load", b.loadTree())
	root.set("design", b.designTree())
	if b.Budget != "" {
		root.set("budget", b.keys("budget", b.Budget, "METRIC=SHARE, such as cpu=3%"))
	}
	return root
}

// onlyGraph complains of flags that are for a service of one's own.
func (b *flagBuilder) onlyGraph() {
	for flag, given := range map[string]bool{
		"--": len(b.Command) > 0, "--op": len(b.Ops) > 0, "--env": len(b.Env) > 0, "--ready": b.Ready != "", "--patience": b.Patience != "",
		"--header": len(b.Headers) > 0, "--body": b.Body != "", "--port": b.Port != 0, "--language": b.Language != "", "--function": b.Function != "",
	} {
		if given {
			b.fail(place{flag: flag}, "it describes a service of your own, and --graph %s brings its processes and operations; leave one of them out", quote(b.Graph))
		}
	}
}

const maxPort = 65535

func (b *flagBuilder) checkPort() {
	if b.Port < 0 || b.Port > maxPort {
		b.fail(place{flag: fmt.Sprintf("--port %d", b.Port)}, "a port is 1 to %d", maxPort)
	}
}

// The parts of the tree that is made of flags.

// quote shows a flag's value as one would type it.
func quote(value string) string {
	if value != "" && !strings.ContainsAny(value, " \t'\"$&|;<>()*?{}\\") {
		return value
	}
	return "'" + strings.ReplaceAll(printable(value), "'", `'\''`) + "'"
}

// word is a scalar at a flag.
func word(flag, text string) *node {
	return &node{kind: scalar, text: text, at: place{flag: flag}}
}

// tree is a mapping that is put together key by key.
func (n *node) set(key string, value *node) {
	n.entries = append(n.entries, entry{key, value.at, value})
}

func tree(flag string) *node { return &node{kind: mapping, at: place{flag: flag}} }

func (b *flagBuilder) workload(command place) *node {
	if b.Graph != "" {
		w := tree("")
		b.word(w, "name", b.Flags.Name)
		b.word(w, "prepare", b.Prepare)
		b.word(w, "cleanup", b.Cleanup)
		w.set("topology", word("--graph "+quote(b.Graph), b.Graph))
		return w
	}
	process := &node{kind: mapping, at: command}
	process.set("name", &node{kind: scalar, text: programName(b.Command), at: command})
	run := &node{kind: list, at: command}
	for _, w := range b.Command {
		run.items = append(run.items, &node{kind: scalar, text: w, at: command})
	}
	process.set("run", run)
	if len(b.Env) > 0 {
		process.set("env", b.assignments("--env", b.Env))
	}
	if ready := b.readyText(); ready != "" {
		process.set("ready", word("--ready "+quote(b.Ready), ready))
	}
	if b.Patience != "" {
		process.set("patience", word("--patience "+quote(b.Patience), b.Patience))
	}
	w := tree("")
	b.word(w, "name", b.Flags.Name)
	if b.Language != "" {
		w.set("language", word("--language "+quote(b.Language), b.Language))
	}
	b.word(w, "prepare", b.Prepare)
	b.word(w, "cleanup", b.Cleanup)
	w.set("processes", &node{kind: list, items: []*node{process}, at: command})
	w.set("operations", b.operations())
	return w
}

// authority is host and port of the program under test.
func (b *flagBuilder) authority() string {
	if b.Port != 0 {
		return "127.0.0.1:" + strconv.Itoa(b.Port)
	}
	return "127.0.0.1:{port}"
}

func (b *flagBuilder) readyText() string {
	switch {
	case strings.HasPrefix(b.Ready, "/"):
		return "http://" + b.authority() + b.Ready
	case b.Ready == "" && b.Port != 0:
		return "tcp://" + b.authority()
	}
	return b.Ready
}

func (b *flagBuilder) assignments(flag string, all []string) *node {
	out := tree(flag)
	for _, text := range all {
		name, value, ok := strings.Cut(text, "=")
		at := flag + " " + quote(text)
		if !ok {
			b.fail(place{flag: at}, "write NAME=VALUE")
			continue
		}
		if out.get(name) != nil {
			b.fail(place{flag: at}, "%s has a value already: give it once", printable(name))
			continue
		}
		out.set(name, word(at, value))
	}
	return out
}

var namedOperation = regexp.MustCompile(`^([A-Za-z0-9_.-]+)=(.*)$`)

func (b *flagBuilder) operations() *node {
	out := tree("--op")
	for _, text := range b.Ops {
		flag := "--op " + quote(text)
		name, request := nameOf(strings.TrimSpace(text)), strings.TrimSpace(text)
		if m := namedOperation.FindStringSubmatch(text); m != nil {
			name, request = m[1], strings.TrimSpace(m[2])
		}
		if out.get(name) != nil {
			b.fail(place{flag: flag}, "a second operation called %q; name them: --op 'NAME=GET /'", printable(name))
			continue
		}
		o := tree(flag)
		o.set("request", word(flag, b.absolute(request)))
		if len(b.Headers) > 0 {
			o.set("headers", b.headerTree())
		}
		if b.Body != "" {
			o.set("body", word("--body "+quote(b.Body), b.Body))
		}
		out.set(name, o)
	}
	return out
}

// absolute sends a request to a path to the fixed port, where there is one.
func (b *flagBuilder) absolute(request string) string {
	verb, target, ok := strings.Cut(request, " ")
	if !ok {
		verb, target = "GET", request
	}
	if b.Port == 0 || !strings.HasPrefix(strings.TrimSpace(target), "/") {
		return request
	}
	return verb + " http://" + b.authority() + strings.TrimSpace(target)
}

func (b *flagBuilder) headerTree() *node {
	out := tree("--header")
	for _, text := range b.Headers {
		name, value, ok := strings.Cut(text, ":")
		flag := "--header " + quote(text)
		if !ok {
			b.fail(place{flag: flag}, "write 'Name: value'")
			continue
		}
		out.set(strings.TrimSpace(name), word(flag, strings.TrimSpace(value)))
	}
	return out
}

func (b *flagBuilder) variantTree() *node {
	out := tree("--variant")
	for _, text := range b.Variants {
		flag := "--variant " + quote(text)
		name, rest, colon := strings.Cut(text, ":")
		v := &node{at: place{flag: flag}}
		if colon {
			v = b.variantOf(flag, rest)
		}
		if out.get(name) != nil {
			b.fail(v.at, "a second variant called %q", printable(name))
			continue
		}
		out.set(name, v)
	}
	return out
}

// wordKeys are the keys of a variant that one word says.
var wordKeys = []string{"tracer", "via", "to", "against", "description"}

// variantOf reads "tracer=otel-python,sampling=10%,env.NAME=x,arg=--verbose".
func (b *flagBuilder) variantOf(flag, text string) *node {
	v, settings, env := tree(flag), tree(flag), tree(flag)
	args, on := &node{kind: list, at: place{flag: flag}}, &node{kind: list, at: place{flag: flag}}
	for _, part := range splitPairs(text) {
		key, value, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		switch variable, isEnv := strings.CutPrefix(key, "env."); {
		case !ok:
			b.fail(v.at, "%q is not KEY=VALUE; a variant is NAME:KEY=VALUE,…", printable(part))
		case isEnv:
			env.set(variable, word(flag, value))
		case key == "arg":
			args.items = append(args.items, word(flag, value))
		case key == "on":
			on.items = append(on.items, word(flag, value))
		case slices.Contains(wordKeys, key):
			v.set(key, word(flag, value))
		default:
			settings.set(key, word(flag, value))
		}
	}
	if len(settings.entries) > 0 {
		v.set("settings", settings)
	}
	if len(env.entries) > 0 {
		v.set("env", env)
	}
	if len(args.items) > 0 {
		v.set("args", args)
	}
	if len(on.items) > 0 {
		v.set("on", on)
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

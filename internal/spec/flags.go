// An experiment from the command line, without a file.
package spec

import (
	"path/filepath"
	"regexp"
	"strings"
)

// Flags are the words of 'tracetax run --op … --variant … -- COMMAND'.
type Flags struct {
	Name     string   // of the experiment; "" is the command's
	Command  []string // what follows --; may hold {port}
	Dir      string   // where it is started; "" is here
	Language string   // of the program, so that --variant otel means otel-LANGUAGE
	Port     int      // where it listens, if it cannot be told by {port}; 0: it can
	Env      []string // NAME=VALUE, for all variants
	Ready    string   // http://…, a path, tcp://host:port or log:REGEXP; "" is a connection to its port
	Ops      []string // "GET /x", "/x" or "name=POST /y"
	Headers  []string // "Name: value", for all operations
	Body     string   // text or @file, for all operations
	Variants []string // "none", "otel-python" or "name:key=value,…"

	Rate        string // "" is the default, unless Connections is set
	Connections int
	Duration    string // "" is the default, as below
	Warmup      string
	Blocks      int
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
	b := flagBuilder{Flags: f, source: &source{file: "command line", open: opener(dir)}}
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
	return programName(b.Command)
}

var notName = regexp.MustCompile(`[^a-z0-9_-]+`)

// programName is a name for a process, from its command.
func programName(command []string) string {
	if len(command) == 0 {
		return "own"
	}
	base := strings.ToLower(filepath.Base(command[0]))
	name := strings.TrimLeft(notName.ReplaceAllString(strings.TrimSuffix(base, filepath.Ext(base)), "-"), "0123456789-_")
	if len(name) > 40 {
		name = name[:40]
	}
	if name == "" {
		return "own"
	}
	return name
}

func (b *flagBuilder) root() *node {
	command := place{flag: "-- " + quote(strings.Join(b.Command, " "))}
	if len(b.Command) == 0 {
		b.fail(place{flag: "--"}, "what is to be started is missing: tracetax run --op 'GET /' --variant … -- COMMAND")
	}
	if len(b.Ops) == 0 {
		b.fail(place{flag: "--op"}, "at least one operation is needed, such as --op 'GET /'")
	}
	if len(b.Variants) < 2 {
		b.fail(place{flag: "--variant"}, "at least two variants are needed; the first is the baseline: --variant none --variant 'otel:tracer=otel-python'")
	}
	root := tree("")
	root.set("workload", b.workload(command))
	root.set("variants", b.variantTree())
	root.set("load", b.loadTree())
	root.set("design", b.designTree())
	if b.Budget != "" {
		limits := tree("--budget " + quote(b.Budget))
		for part := range strings.SplitSeq(b.Budget, ",") {
			name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
			if !ok {
				b.fail(limits.at, "%q is not METRIC=SHARE, such as cpu=3%%", printable(part))
				continue
			}
			limits.set(name, word(limits.at.flag, value))
		}
		root.set("budget", limits)
	}
	return root
}

// An experiment from the command line, without a file.

package config

import (
	"fmt"
	"path/filepath"
	"slices"
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
	Prepare  string   // command before each run; "" is none
	Cleanup  string   // command after each run; "" is none
	Patience string   // how long it may take to become ready; "" is the default
	Ready    string   // http://…, a path, tcp://host:port or log:REGEXP; "" is a connection to its port
	Ops      []string // "GET /x", "/x" or "name=POST /y"
	Headers  []string // "Name: value", for all operations
	Body     string   // text or @file, for all operations
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
	if len(b.Command) == 0 {
		b.fail(place{flag: "--"}, "what is to be started is missing: tracetax run --op 'GET /' --variant … -- COMMAND")
	}
	if len(b.Ops) == 0 {
		b.fail(place{flag: "--op"}, "at least one operation is needed, such as --op 'GET /'")
	}
	if len(b.Variants) < 2 {
		b.fail(place{flag: "--variant"}, "at least two variants are needed; the first is the baseline: --variant none --variant 'otel:tracer=otel-python'")
	}
	b.checkPort()
	root := tree("")
	b.word(root, "name", b.Flags.Name)
	root.set("workload", b.workload(command))
	root.set("variants", b.variantTree())
	root.set("load", b.loadTree())
	root.set("design", b.designTree())
	if b.Budget != "" {
		root.set("budget", b.keys("budget", b.Budget, "METRIC=SHARE, such as cpu=3%"))
	}
	return root
}

const maxPort = 65535

func (b *flagBuilder) checkPort() {
	if b.Port < 0 || b.Port > maxPort {
		b.fail(place{flag: fmt.Sprintf("--port %d", b.Port)}, "a port is 1 to %d", maxPort)
	}
}

// Findings in the Go benchmark format, for benchstat and its relatives.

package data

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/report/view"
	"golang.org/x/perf/benchfmt"
)

// Benchfmt writes one line per block × operation × variant, for
//
//	benchstat -col /variant benchfmt.txt
//
// The iteration count is 1: a line is one run, and the unit of an interval is
// the run. Which runs make a block is lost, so benchstat's intervals, which are
// of unpaired runs, are wider than those of the document.
func Benchfmt(w io.Writer, doc *finding.Document) error {
	lines := benchLines(doc)
	out := benchfmt.NewWriter(w)
	for _, u := range benchUnits(doc) {
		if err := out.Write(u); err != nil {
			return fmt.Errorf("writing the findings in the Go benchmark format: %w", err)
		}
	}
	names := newBenchNames(doc)
	config := benchConfig(doc)
	for _, l := range lines {
		r := &benchfmt.Result{Config: config, Name: benchfmt.Name(names.full(l.key)), Iters: 1, Values: l.values}
		if err := out.Write(r); err != nil {
			return fmt.Errorf("writing the findings in the Go benchmark format: %w", err)
		}
	}
	return nil
}

// benchKey identifies one line of the format.
type benchKey struct {
	operation, parameter, variant string
	block                         int
}

type benchLine struct {
	key       benchKey
	parameter map[string]string
	values    []benchfmt.Value
}

// benchLines collects the samples of all findings into lines, sorted by
// operation, variant and block as the document has them.
func benchLines(doc *finding.Document) []*benchLine {
	var lines []*benchLine
	byKey := map[benchKey]*benchLine{}
	add := func(k benchKey, parameter map[string]string, unit string, v float64) {
		l := byKey[k]
		if l == nil {
			l = &benchLine{key: k, parameter: parameter}
			byKey[k] = l
			lines = append(lines, l)
		}
		if !slices.ContainsFunc(l.values, func(have benchfmt.Value) bool { return have.Unit == unit }) {
			l.values = append(l.values, benchfmt.Value{Value: v, Unit: unit})
		}
	}
	for _, g := range view.Groups(doc) {
		for _, f := range g.Findings {
			unit, factor := benchUnit(f)
			if f.Uncompared {
				continue // benchstat would
			}
			for _, s := range f.Samples {
				add(benchKey{g.Operation, g.Parameter, f.Against, s.Block}, f.Parameter, unit, s.Baseline*factor)
				add(benchKey{g.Operation, g.Parameter, f.Variant, s.Block}, f.Parameter, unit, s.Value*factor)
			}
		}
	}
	return lines
}

// benchConfig holds the lines that say what was measured. benchstat compares only
// lines that agree in all of them, so what differs from one result to the next
// (the seed, the version of tracetax) stays out.
func benchConfig(doc *finding.Document) []benchfmt.Config {
	var all []benchfmt.Config
	for _, kv := range [][2]string{
		{"experiment", doc.Experiment.Name},
		{"workload", doc.Experiment.Workload},
		{"load", doc.Experiment.Load},
	} {
		value := strings.Join(strings.Fields(kv[1]), " ")
		if value != "" {
			all = append(all, benchfmt.Config{Key: kv[0], Value: []byte(value), File: true})
		}
	}
	return all
}

// benchUnits has the better direction of each unit.
func benchUnits(doc *finding.Document) []*benchfmt.UnitMetadata {
	var all []*benchfmt.UnitMetadata
	seen := map[string]bool{}
	for _, g := range view.Groups(doc) {
		for _, f := range g.Findings {
			unit, _ := benchUnit(f)
			if f.Better == "" || f.Uncompared || seen[unit] {
				continue
			}
			seen[unit] = true
			all = append(all, &benchfmt.UnitMetadata{
				UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: f.Better,
			})
		}
	}
	return all
}

// benchUnit is the unit of a metric in the format, and what one of the
// finding's units is in it. "ns" and "B" are what benchstat knows how to scale.
func benchUnit(f *finding.Finding) (unit string, factor float64) {
	if f.Metric == metric.Capacity {
		return "capacity-op/s", 1
	}
	name, per := f.Metric, ""
	switch {
	case strings.HasSuffix(name, "_per_operation"):
		name, per = strings.TrimSuffix(name, "_per_operation"), "/op"
	case strings.HasSuffix(name, "_per_span"):
		name, per = strings.TrimSuffix(name, "_per_span"), "/span"
	}
	name = strings.TrimPrefix(name, "latency_")
	name = strings.TrimSuffix(name, "_bytes")
	if f.Role != "" {
		name = benchWord(f.Charged()) + "-" + name
	}
	name = strings.ReplaceAll(benchWord(name), "_", "-")
	switch f.Unit {
	case "s":
		return name + "-ns" + per, 1e9
	case "bytes":
		return name + "-B" + per, 1
	case "1/s":
		return name + "/s", 1
	}
	return name + per, 1
}

// Names that the Go benchmark format can carry, one for each of the document's.

// benchNames makes benchmark names: BenchmarkHello/op=json/connections=4/variant=otel.
type benchNames struct {
	root      string
	operation map[string]string
	variant   map[string]string
	parameter map[string]string
	end       string
}

// endsLikeProcs matches a name whose end the format takes for GOMAXPROCS.
var endsLikeProcs = regexp.MustCompile(`-\d+$`)

func newBenchNames(doc *finding.Document) *benchNames {
	n := &benchNames{
		root:      benchRoot(doc.Experiment.Workload),
		operation: map[string]string{}, variant: map[string]string{}, parameter: map[string]string{},
	}
	for _, l := range benchLines(doc) {
		unique(n.operation, operationName(l.key.operation))
		unique(n.variant, l.key.variant)
		uniqueAs(n.parameter, l.key.parameter, parameterWord(l.parameter))
	}
	for _, v := range n.variant {
		// A variant called otel-10 would be read as otel on 10 CPUs; an end of
		// its own on every line keeps the names whole.
		if endsLikeProcs.MatchString(v) {
			n.end = "-1"
		}
	}
	return n
}

// full is a line's name, without the word Benchmark.
func (n *benchNames) full(k benchKey) string {
	name := n.root + "/op=" + n.operation[operationName(k.operation)]
	if k.parameter != "" {
		name += "/" + n.parameter[k.parameter]
	}
	return name + "/variant=" + n.variant[k.variant] + n.end
}

// unique enters a name that the format can carry under the original one, and
// keeps two different names different.
func unique(words map[string]string, name string) { uniqueAs(words, name, benchWord(name)) }

// uniqueAs is unique for a name whose word is known.
func uniqueAs(words map[string]string, name, plain string) {
	if _, ok := words[name]; ok {
		return
	}
	taken := func(w string) bool {
		for _, have := range words {
			if have == w {
				return true
			}
		}
		return false
	}
	word := plain
	for i := 2; taken(word); i++ {
		word = fmt.Sprintf("%s#%d", plain, i)
	}
	words[name] = word
}

// parameterWord is a parameter as parts of a name: "connections=4/depth=2".
func parameterWord(p map[string]string) string {
	var parts []string
	for _, s := range cell.LevelOf(p).Settings() {
		key := strings.ReplaceAll(benchWord(s.Name), "=", "_")
		if key == "op" || key == "variant" { // the names of the other parts
			key += "_"
		}
		parts = append(parts, key+"="+benchWord(strings.TrimSuffix(s.Value, "/s"))) // a rate without its slash
	}
	return strings.Join(parts, "/")
}

// benchWord makes s fit for a part of a name: no space, no slash.
func benchWord(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '/' || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, s)
}

// benchRoot is the benchmark's own name: hello/go is Hello_go.
func benchRoot(workload string) string {
	w := []rune(benchWord(workload))
	if len(w) == 0 {
		return "Workload"
	}
	return string(unicode.ToUpper(w[0])) + string(w[1:])
}

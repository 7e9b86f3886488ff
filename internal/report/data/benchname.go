// Names that the Go benchmark format can carry, one for each of the document's.

package data

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/finding"
)

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

package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/tracetax/tracetax/internal/config/program"
)

const figures = `source,workload,operation,variant,metric,parameter,value,spread,note
Doe,calls,,none,latency_p50,,3,,of all
# what the table says
"Doe, 2026",calls,call,kieker,time_per_call,depth=08,1.5e-05,2e-6,"table 3, ""mean"" # 1"
"#2 Doe",calls2,call,none,throughput,depth=2 threads=4,-1,,
`

const claims = `
- {name: MF1, text: it costs, metric: cpu_per_operation, above: 0}
- {name: MF2, text: "x: y", metric: time_per_call, of: ratio, variants: [kieker, none], over: all, above: -5%, below: 0.125}
- {name: MF3, text: z, metric: r2, of: ratio, workloads: [calls, calls2], operations: [call], below: 10%}
`

const repeats = "workloads: [calls, calls2]\noperations: [call]\nvariants: {none: , kieker: {tracer: none}}\n"

func parseStudy(t *testing.T, text, csv string) ([]*Experiment, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f.csv"), []byte(csv), 0o644); err != nil {
		t.Fatal(err)
	}
	return ParseExperiment(filepath.Join("d", "x.yaml"), dir, []byte(text), shelf())
}

func TestStudy(t *testing.T) {
	es, err := parseStudy(t, repeats+"published: f.csv\nclaims:"+strings.ReplaceAll(claims, "\n", "\n  "), program.ByteOrderMark+figures)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]Published{
		{{Source: "Doe", Workload: "calls", Variant: "none", Metric: "latency_p50", Value: 3, Note: "of all"}, {Source: "Doe, 2026", Workload: "calls", Operation: "call", Variant: "kieker", Metric: "time_per_call",
			Parameter: map[string]string{"depth": "8"}, Value: 15e-6, Spread: 2e-6, Note: `table 3, "mean" # 1`}},
		{{Source: "#2 Doe", Workload: "calls2", Operation: "call", Variant: "none", Metric: "throughput", Parameter: map[string]string{"depth": "2", "threads": "4"}, Value: -1}},
	}
	low, high, none, tenth := -0.05, 0.125, 0.0, 0.1
	wantClaims := []Claim{
		{Name: "MF1", Text: "it costs", Metric: "cpu_per_operation", Of: "cost", Above: &none},
		{Name: "MF2", Text: "x: y", Metric: "time_per_call", Of: "ratio", Variants: []string{"kieker", "none"}, Over: "all", Above: &low, Below: &high},
		{Name: "MF3", Text: "z", Metric: "r2", Of: "ratio", Workloads: []string{"calls", "calls2"}, Operation: []string{"call"}, Below: &tenth},
	}
	for i, e := range es {
		if diff := cmp.Diff(want[i], e.Published); diff != "" {
			t.Errorf("published of %s (-want +got)\n%s", e.Workload.Name, diff)
		}
		if diff := cmp.Diff(wantClaims, e.Claims); diff != "" {
			t.Errorf("claims (-want +got)\n%s", diff)
		}
		again(t, shelf(), e)
	}
}

// TestStudyOfAChoice: what is about a variant that was not chosen is not written,
// so that the file can be read again.
func TestStudyOfAChoice(t *testing.T) {
	es, err := parseStudy(t, strings.Replace(repeats, "}}", "}, other: {tracer: none}}", 1)+"published: f.csv\nclaims:"+strings.ReplaceAll(claims, "\n", "\n  "), figures)
	if err != nil {
		t.Fatal(err)
	}
	if err := es[0].Keep([]string{"other"}); err != nil {
		t.Fatal(err)
	}
	text, err := es[0].YAML()
	if err != nil {
		t.Fatal(err)
	}
	left, err := ParseExperiment("experiment.yaml", ".", text, shelf())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(left[0].Published) != 1 || len(left[0].Claims) != 2 {
		t.Errorf("%d figures and %d claims are left, want 1 and 2", len(left[0].Published), len(left[0].Claims))
	}
}

func TestStudyWrong(t *testing.T) {
	head := strings.SplitAfter(figures, "\n")[0]
	for csv, want := range map[string]string{
		"":                                       `d/f.csv:1:1: this is not CSV with the columns source,workload,`,
		"source,workload\na,b\n":                 `d/f.csv:1:1: the column metric is missing`,
		head + "a,calls,call\n":                  `d/f.csv:2:1: wrong number of fields`,
		head + "\n\n\"a\nb\n":                    `extraneous or missing " in quoted-field`,
		strings.Replace(head, "note", "nota", 1): `unknown column "nota"; did you mean "note"?`,
		head + "a,call,call,none,time_per_call,,1,,\n":              `d/f.csv:2:1: unknown workload "call"; did you mean "calls"?`,
		head + "a,,call,none,time_per_call,,1,,\n":                  `the experiment has several workloads; the column workload says which one`,
		head + "a,calls,cal,none,time_per_call,,1,,\n":              `unknown operation "cal"; did you mean "call"?`,
		head + "a,calls,call,kiker,time_per_call,,1,,\n":            `unknown variant "kiker"; did you mean "kieker"?`,
		head + "a,calls,call,none,time_per_cal,,1,,\n":              `unknown metric "time_per_cal"; did you mean "time_per_call"?`,
		head + "a,calls,call,none,throughput,,fast,,\n":             `value: "fast" is not a number`,
		head + "a,calls,call,none,throughput,,NaN,,\n":              `value: "NaN" is not a number`,
		head + "a,calls,call,none,throughput,,1,-2,\n":              `spread "-2" is not a standard deviation`,
		head + "a,calls,call,none,throughput,depth,1,,\n":           `"depth" is not a parameter such as depth=8`,
		head + "a,calls,call,none,throughput,dpth=1,1,,\n":          `unknown parameter "dpth"; did you mean "depth"?`,
		head + "a,calls,call,none,throughput,depth=x,1,,\n":         `parameter depth=x: the value is a whole number from 1`,
		head + "a,calls,call,none,throughput,depth=1 depth=2,1,,\n": `parameter depth is here a second time`,
		head + ",calls,call,none,throughput,,1,,\n":                 `the column source is empty`,
	} {
		_, err := parseStudy(t, repeats+"published: f.csv\n", csv)
		if err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\n%v\nwant %s", csv, err, want)
		}
	}
	for claim, want := range map[string]string{
		"{}":                                     `a claim needs a metric`,
		"{name: a, text: b, metric: throughput}": `a claim says where its intervals lie`,
		"{name: a, text: b, metric: lost_share, over: all, below: 1%}":                    `leave out of: ratio and over`,
		"{name: a, text: b, metric: lost_share, below: 0}":                                `no share of spans is below 0%, and none lost is 0 itself: write below: 0.01%`,
		"{name: a, text: b, metric: throughput, above: 5%, below: 5%}":                    `nothing is both above 5% and below 5%`,
		"{name: a, text: b, metric: thruput, above: 0}":                                   `unknown metric "thruput"; did you mean "throughput"?`,
		"{name: a, text: b, metric: throughput, of: ratio, above: 0}":                     `a ratio is of two variants, two workloads, two operations, or of the metric and one beside it`,
		"{name: a, text: b, metric: throughput, beside: latency_p50, above: 0}":           `add of: ratio`,
		"{name: a, text: b, metric: throughput, of: ratio, beside: throughput, above: 0}": `name two different metrics`,
		"{name: a, text: b, metric: throughput, of: rate, above: 0}":                      `unknown of "rate"; did you mean "ratio"?`,
		"{name: a, text: b, metric: throughput, variants: [kiker], above: 0}":             `unknown variant "kiker"; did you mean "kieker"?`,
		"{name: a, text: b, metric: throughput, over: al, above: 0}":                      `unknown over "al"; did you mean "all"?`,
		"{name: a, text: b, metric: throughput, above: high}":                             `"high" is not a share`,
	} {
		_, err := parseStudy(t, repeats+"claims: ["+claim+"]\n", "")
		if err == nil || !program.IsProblem(err) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "x.yaml:4:") {
			t.Errorf("%s\n%v\nwant %s", claim, err, want)
		}
	}
	if _, err := parseStudy(t, repeats+"published: g.csv\n", ""); err == nil || !strings.Contains(err.Error(), `x.yaml:4:12: published: there is no file "g.csv" beside this one`) {
		t.Error(err)
	}
}

// TestPublishedOfABuiltIn: the file stands beside the experiment in the tree.
func TestPublishedOfABuiltIn(t *testing.T) {
	tree := fstest.MapFS{
		"experiments/e.yaml":          {Data: []byte("workload: {processes: [{name: a, run: [x, '{port}']}], operations: {o: GET /}}\nvariants: {none: , b: {tracer: none}}\npublished: e.published.csv\n")},
		"experiments/e.published.csv": {Data: []byte("source,workload,operation,variant,metric,parameter,value,spread,note\nDoe,,o,b,latency_p99,,1,,\n")},
		"secret":                      {Data: []byte("x")},
	}
	es, err := BuiltIn(program.NewCatalog(tree), "e")
	if err != nil || len(es[0].Published) != 1 {
		t.Fatalf("%v", err)
	}
	if names, err := program.NewCatalog(tree).Experiments(); err != nil || !cmp.Equal(names, []string{"e"}) {
		t.Errorf("experiments %v, %v", names, err)
	}
	tree["experiments/e.yaml"].Data = []byte(strings.Replace(string(tree["experiments/e.yaml"].Data), "e.published.csv", "../secret", 1))
	if _, err := BuiltIn(program.NewCatalog(tree), "e"); err == nil || !strings.Contains(err.Error(), "is not in the folder of this experiment") {
		t.Errorf("%v", err)
	}
}

func FuzzPublished(f *testing.F) {
	f.Add(figures)
	f.Add("source,workload,operation,variant,metric,parameter,value,spread,note\n\"a\",calls,call,none,capacity,rate=60/min,1e300,0,\"#\"\n")
	f.Fuzz(func(t *testing.T, text string) {
		read := func(text string) ([]Published, program.Problems) {
			s := &program.Source{File: "f.csv"}
			known := studied{own: []string{"calls"}, variants: []string{"none", "kieker"}, operations: []string{"call"}}
			rows := readFigures(s, text, s, func(line int) program.Place { return program.Place{Line: line, Column: 1} }, known)
			return rows, s.Problems
		}
		rows, problems := read(text)
		if len(problems) > 0 || len(rows) == 0 {
			return
		}
		again, problems := read(strings.Join(publishedLines(rows), "\n"))
		if diff := cmp.Diff(rows, again, same); diff != "" || len(problems) > 0 {
			t.Fatalf("%v (-before +after)\n%s", problems, diff)
		}
	})
}

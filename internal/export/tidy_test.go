package export

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
)

// leftOut are the parts of a record of which no figure is taken: what they are made of is taken, or they are about why
// there is none.
var leftOut = []any{record.Record{}, record.Failure{}, record.Signs{}, record.ProcessSigns{}, record.LogSign{}, record.Elsewhere{}, record.Unasked{}, record.Frame{}, record.Timed{}}

// Each part of a record is taken or named above, and each of its figures has a unit.
func TestEveryFigureIsTaken(t *testing.T) {
	named := map[reflect.Type]bool{}
	for _, part := range leftOut {
		named[reflect.TypeOf(part)] = true
	}
	reached := map[string]bool{}
	for part := range partsOf(reflect.TypeFor[record.Record](), map[reflect.Type]bool{}) {
		for i := range part.NumField() {
			f := part.Field(i)
			name := part.Name() + "." + f.Name
			reached[name] = true
			if named[part] || fields[name].column {
				continue
			}
			kind := f.Type
			for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Map || kind.Kind() == reflect.Slice {
				kind = kind.Elem()
			}
			if _, is := number(reflect.Zero(kind)); !is {
				if k := kind.Kind(); k != reflect.String && k != reflect.Struct {
					t.Errorf("%s is a %s: neither a figure nor a text", name, k)
				}
				continue
			}
			json, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if fields[name].unit == "" && unitOf(json, kind.Kind()) == "" {
				t.Errorf("%s has no unit: give it one in fields", name)
			}
		}
		if !named[part] && !takenIn(part) {
			t.Errorf("no figure of %s is taken: take them in walk.go, or name it in leftOut", part)
		}
	}
	for name, f := range fields {
		if !reached[name] {
			t.Errorf("fields has %s, which no record has", name)
		}
		if owner, _, _ := strings.Cut(name, "."); f.only != "" && !reached[owner+"."+f.only] {
			t.Errorf("%s hangs on %s, which it does not have", name, f.only)
		}
	}
}

// partsOf are the structs of a record.
func partsOf(of reflect.Type, seen map[reflect.Type]bool) map[reflect.Type]bool {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return partsOf(of.Elem(), seen)
	case reflect.Struct:
		if of == reflect.TypeFor[time.Time]() || seen[of] {
			return seen
		}
		seen[of] = true
		for i := range of.NumField() {
			partsOf(of.Field(i).Type, seen)
		}
	}
	return seen
}

// takenIn reports whether a record that has one of such a part everywhere has figures of it: a count or a truth in it is
// set to a number that nothing else has.
func takenIn(part reflect.Type) bool {
	const mark = 4711
	var r record.Record
	fill(reflect.ValueOf(&r).Elem(), part, mark)
	for _, f := range figuresOf(&r) {
		if f.value == mark {
			return true
		}
	}
	return false
}

// fill makes one of everything in a value, and sets the numbers of one kind of part.
func fill(v reflect.Value, part reflect.Type, mark float64) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), part, mark)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), part, mark)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			fill(v.Field(i), part, mark)
			if v.Type() == part {
				set(v.Field(i), mark)
			}
		}
	}
}

func set(v reflect.Value, mark float64) {
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(mark))
	case reflect.Uint64:
		v.SetUint(uint64(mark))
	case reflect.Float64:
		v.SetFloat(mark)
	case reflect.Bool:
		v.SetBool(true)
	}
}

// What is not known has no row, and what belongs to a process is under its name.
func TestRuns(t *testing.T) {
	failed, spans := uint64(2), uint64(40)
	r := record.Record{
		Kind: record.Measured, Workload: "=shop", Variant: "otel", Block: 3, Position: 1, Attempt: 1, Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Start:   record.Start{ReadySeconds: 0.25, Idle: []record.Usage{{Process: "relay", Role: role.Collector, Seconds: 1, CPUSeconds: 0.5}}},
		Memory:  []record.Memory{{Process: "app", Role: role.App, Peak: 4096}},
		Hops:    []record.Hop{{Name: "relay", Received: &spans}},
		Tracer:  record.Reported{Failed: &failed},
		Harness: record.Harness{LoadAverage: 0.5},
		Phases: []record.Phase{{
			Operation: "json", Parameter: map[string]string{"rate": "40/s"}, OfferedRate: 40,
			Load: record.Load{Started: 20, Completed: 18, Errors: map[string]uint64{"refused": 2}},
			Sink: record.Counts{Spans: 40, Shapes: record.Shapes{"GET /": {2: 20}}},
		}},
	}
	got := table(t, Runs, []record.Record{r})
	for row, want := range map[string]string{
		"start , ready_seconds":                                         "s 0.25",
		"idle relay collector, cpu_seconds":                             "s 0.5",
		"run app app, peak":                                             "bytes 4096",
		"run relay collector, received":                                 "count 40",
		"run  tracer, failed":                                           "count 2",
		"run  harness, load_average":                                    "count 0.5",
		"json rate=40/s 0 window , offered_rate":                        "1/s 40",
		"json rate=40/s 0 window tracetax-load load, started":           "count 20",
		"json rate=40/s 0 window tracetax-load load, errors refused":    "count 2",
		"json rate=40/s 0 window tracetax-sink sink, spans":             "count 40",
		"json rate=40/s 0 window tracetax-sink sink, traces_by 2 GET /": "count 20",
		"json rate=40/s 0 window tracetax-sink sink, checking":          "bool 0",
		"json rate=40/s 0 window tracetax-sink sink, duplicate":         "", // nobody looked
		"json rate=40/s 0 window tracetax-load load, failed":            "count 0",
		"run app app, steady":                                           "", // not known
		"start , first_operation_seconds":                               "",
		"run relay collector, dropped":                                  "",
		"idle relay collector, system_seconds":                          "",
		"json rate=40/s 0 warm-up , offered_rate":                       "",
	} {
		if got[row] != want {
			t.Errorf("%q is %q, want %q", row, got[row], want)
		}
	}
	var text bytes.Buffer
	if err := Runs(&text, []record.Record{r}); err != nil {
		t.Fatal(err)
	}
	if want := "'=shop,measured,,otel,3,1,1,false,2026-01-02T03:04:05Z,"; !strings.Contains(text.String(), "\n"+want) {
		t.Errorf("no row begins with %s", want)
	}
}

// What was not read, or never reached, has no row either; and what a backend counts has its name.
func TestNotKnown(t *testing.T) {
	phase := record.Phase{
		Operation: "json", Warmup: record.Load{Started: 10}, Load: record.Load{Started: 20}, Quiet: true,
		WarmupSink: record.Counts{Spans: 20}, Sink: record.Counts{Spans: 40},
		Usage: []record.Usage{{Process: "app", Role: role.App, Seconds: 2, Source: "cgroup v2"}},
	}
	whole := func(change func(*record.Record)) record.Record {
		r := record.Record{Kind: record.Measured, Variant: "otel", Life: record.Counts{Spans: 61}, Phases: []record.Phase{phase}}
		r.Phases[0].Usage = slices.Clone(phase.Usage)
		change(&r)
		return r
	}
	const window, warmup, sink = "json  0 window ", "json  0 warm-up ", "tracetax-sink sink, "
	for what, c := range map[string]struct {
		record record.Record
		rows   map[string]string // "": none
	}{
		"all is known": {whole(func(*record.Record) {}), map[string]string{
			"run " + sink + "spans": "count 61", window + sink + "requests": "count 0", window + "app app, throttle_seconds": "s 0",
			"run  harness, steal_seconds": "s 0", "run  harness, load_average": "count 0", window + "tracetax-load load, failed": "count 0",
		}},
		"a backend": {whole(func(r *record.Record) { r.Backend = &record.Backend{Name: "jaeger", Stored: 61} }), map[string]string{
			"run jaeger backend, spans": "count 61", "run jaeger backend, stored": "count 61", warmup + "jaeger backend, spans": "count 20", window + "jaeger backend, spans": "count 40",
			"start jaeger backend, spans": "count 0", window + sink + "spans": "", window + sink + "requests": "", "run " + sink + "roots": "", "start " + sink + "bytes": "", window + "jaeger backend, requests": "",
		}},
		"by clocks": {whole(func(r *record.Record) { r.Phases[0].Usage[0].Source = "clock" }), map[string]string{
			window + "app app, throttle_seconds": "", window + "app app, cpu_seconds": "s 0",
		}},
		"a harness that reads nothing": {whole(func(r *record.Record) { r.Harness.Unread = []string{"steal_seconds", "load_average"} }), map[string]string{
			"run  harness, steal_seconds": "", "run  harness, load_average": "", "run  harness, seconds": "s 0",
		}},
		"a warm-up that is watched": {whole(func(r *record.Record) {
			r.Kind, r.Purpose = record.Pilot, record.ForWarmup
			r.Phases[0].Load, r.Phases[0].Sink, r.Phases[0].Usage = record.Load{}, record.Counts{}, nil
			r.Phases[0].Progress = []record.Slice{{Operations: 10}}
		}), map[string]string{
			window + "tracetax-load load, started": "", window + sink + "spans": "", window + ", quiet": "", window + "tracetax-load load, wall_seconds": "",
			warmup + ", quiet": "bool 1", warmup + sink + "spans": "count 20", "json  0 slice 1 tracetax-load load, operations": "count 10",
		}},
		"a run that failed": {whole(func(r *record.Record) {
			r.Failure, r.Phases, r.Life = &record.Failure{Stage: "idle"}, nil, record.Counts{}
			r.Start = record.Start{ReadySeconds: 0.5, Probes: 1}
		}), map[string]string{
			"start , ready_seconds": "s 0.5", "start , probes": "count 1", "start , idle_seconds": "", "stop , seconds": "", "stop " + sink + "spans": "", "run " + sink + "spans": "",
		}},
		"a failed phase": {whole(func(r *record.Record) {
			r.Failure, r.Phases[0].Load = &record.Failure{Stage: "window"}, record.Load{}
		}), map[string]string{window + "tracetax-load load, started": "", warmup + "tracetax-load load, started": "count 10"}},
	} {
		got := table(t, Runs, []record.Record{c.record})
		for row, want := range c.rows {
			if got[row] != want {
				t.Errorf("%s: %q is %q, want %q", what, row, got[row], want)
			}
		}
	}
}

// table are the rows of one run by what they are of: unit and value. No two are of the same.
func table(t *testing.T, write func(io.Writer, []record.Record) error, records []record.Record) map[string]string {
	t.Helper()
	var text bytes.Buffer
	if err := write(&text, records); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, row := range rows[1:] {
		run, metric := row[len(runColumns):len(rows[0])-4], row[len(rows[0])-4:]
		what := strings.Join(run[:3], " ")
		what = strings.TrimLeft(what+" "+strings.Join(run[3:4], " "), " ")
		if run[4] != "" {
			what += " " + run[4]
		}
		what += " " + run[5]
		if run[6] != "" {
			what += " " + run[6]
		}
		if run[7] != "" {
			what += " " + run[7]
		}
		what += ", " + metric[0]
		if metric[1] != "" {
			what += " " + metric[1]
		}
		if _, twice := out[what]; twice {
			t.Errorf("two rows are of %q", what)
		}
		out[what] = metric[2] + " " + metric[3]
	}
	return out
}

// Of recorded runs no two rows are of the same, and histograms hold every value.
func TestRecordedRuns(t *testing.T) {
	kept, err := filepath.Glob("../cli/testdata/kept/*/runs.jsonl.gz")
	if err != nil || len(kept) < 10 {
		t.Fatalf("%d results are kept: %v", len(kept), err)
	}
	for _, path := range kept {
		for _, r := range recorded(t, path) {
			if rows := table(t, Runs, []record.Record{r}); len(rows) < 20 && !r.Failed() {
				t.Errorf("%s: %d rows of block %d, %s", path, len(rows), r.Block, r.Variant)
			}
			var want, got int64
			for _, l := range loadsOf(&r) {
				for _, h := range []record.Histogram{l.load.Latency, l.load.Lag} {
					values, err := h.Decode()
					if err != nil {
						t.Fatal(err)
					}
					want += values.TotalCount()
				}
			}
			var text bytes.Buffer
			if err := Histograms(&text, []record.Record{r}); err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(&text).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, row := range rows[1:] {
				var n int64
				if err := json.Unmarshal([]byte(row[len(row)-1]), &n); err != nil || n < 1 {
					t.Fatalf("a count of %q: %v", row[len(row)-1], err)
				}
				got += n
			}
			if got != want {
				t.Errorf("%s: the histograms of block %d, %s have %d values, want %d", path, r.Block, r.Variant, got, want)
			}
		}
	}
}

// recorded are the records of a kept result.
func recorded(t *testing.T, path string) []record.Record {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []record.Record
	for decoder := json.NewDecoder(lines); ; {
		var r record.Record
		if err := decoder.Decode(&r); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
}

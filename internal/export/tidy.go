// Package export owns the raw records as tables for R and pandas, a row a value. It copies
// what was measured; it must not know how a result is analysed or shown.
package export

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/cell"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/internal/role"
	"github.com/tracetax/tracetax/internal/sheet"
)

// runColumns name the run of a row, phaseColumns the part of the run; both tables begin with them.
var (
	runColumns   = []string{"workload", "kind", "purpose", "variant", "block", "order", "attempt", "failed", "started"}
	phaseColumns = []string{"operation", "parameter", "operation_order", "phase", "part"}
)

// Runs writes a row for each figure of the records: run × phase × process × metric. A figure that is not known has no row.
func Runs(w io.Writer, records []record.Record) error {
	rows := [][]string{head("process", "role", "service", "metric", "key", "unit", "value")}
	for i := range records {
		for _, f := range figuresOf(&records[i]) {
			rows = append(rows, append(where(&records[i], f.at),
				sheet.Text(f.process), sheet.Text(f.role), sheet.Text(f.service), f.metric, sheet.Text(f.key), f.unit, sheet.Number(f.value)))
		}
	}
	return sheet.Write(w, "the runs", rows)
}

// Histograms writes a row for each interval of each histogram of the records in which a value lies.
func Histograms(w io.Writer, records []record.Record) error {
	rows := [][]string{head("metric", "unit", "from", "to", "count")}
	for i := range records {
		for _, l := range loadsOf(&records[i]) {
			for _, h := range []struct {
				metric string
				values record.Histogram
			}{{"latency", l.load.Latency}, {"lag", l.load.Lag}} {
				values, err := h.values.Decode()
				if err != nil {
					return fmt.Errorf("block %d, %s, %s of %s: %w", records[i].Block, records[i].Variant, h.metric, l.at.operation, err)
				}
				for _, bar := range values.Distribution() {
					if bar.Count > 0 {
						rows = append(rows, append(where(&records[i], l.at), h.metric, "s", seconds(bar.From), seconds(bar.To), strconv.FormatInt(bar.Count, 10)))
					}
				}
			}
		}
	}
	return sheet.Write(w, "the histograms", rows)
}

// seconds are nanoseconds as a cell.
func seconds(ns int64) string { return sheet.Number(float64(ns) / 1e9) }

// at is a part of a run: a phase of an operation, or a stretch besides.
type at struct {
	operation string
	parameter map[string]string
	position  string // of the operation's phase, from 0; "" for what belongs to no operation
	phase     string
	part      int // which probe or slice, from 1; 0: there is one
}

func head(more ...string) []string {
	return append(append(append([]string{}, runColumns...), phaseColumns...), more...)
}

// where are the cells of runColumns and phaseColumns.
func where(r *record.Record, a at) []string {
	part := ""
	if a.part > 0 {
		part = strconv.Itoa(a.part)
	}
	return []string{
		sheet.Text(r.Workload), sheet.Text(string(r.Kind)), sheet.Text(string(r.Purpose)), sheet.Text(r.Variant), strconv.Itoa(r.Block), strconv.Itoa(r.Position),
		strconv.Itoa(r.Attempt), strconv.FormatBool(r.Failed()), r.Started.UTC().Format(time.RFC3339Nano),
		sheet.Text(a.operation), sheet.Text(cell.LevelOf(a.parameter).Join("=", ", ")), a.position, a.phase, part,
	}
}

// This file takes the figures of one part of a record by its fields, so none is forgotten: each number, and each
// table of numbers by name, under its name in runs.jsonl.

// figure is one value.
type figure struct {
	at at
	whose
	metric string // as the field is called in runs.jsonl
	key    string // of a table by name
	unit   string
	value  float64
}

// taken are the figures of a run. A failed run gets no row for a zero: it may never have got so far.
type taken struct {
	figures []figure
	failed  bool
}

func (t *taken) add(a at, of whose, metric, key, unit string, value float64) {
	t.figures = append(t.figures, figure{a, of, metric, key, unit, value})
}

// about is what is to be known of a field besides its type and its name.
type about struct {
	unit    string // "" by its type and name
	unknown bool   // zero is not known, or does not apply
	only    string // field of the same part: where that is zero, this one is not known
	column  bool   // it is a column of its own, or is taken otherwise

	unread func(part any) bool // whether the same part says that it was not read; nil: it never does
}

// fields are those whose type and name do not tell.
var fields = map[string]about{
	"Start.ReadySeconds": {unknown: true}, "Start.FirstOperationSeconds": {unknown: true},

	"Cold.Seconds": {unknown: true}, "Cold.Parts": {unit: "s"},

	"Phase.Position": {column: true}, "Phase.OfferedRate": {unit: "1/s", unknown: true}, "Phase.Others": {unit: "1"}, "Phase.Compiling": {unit: "1"},

	"Slice.TimeSeconds": {unknown: true}, "Window.Others": {unit: "1"}, "Window.Beside": {unit: "s"},

	"Load.BytesSent": {unit: "bytes"}, "Load.BytesReceived": {unit: "bytes"}, "Load.BodyBytes": {unit: "bytes"},

	"Driven.ThreadCPU": {unit: "s"}, "Driven.Allocated": {unit: "bytes"}, "Driven.AllocatedCaller": {unit: "bytes"},
	"Driven.HeapPeak": {unit: "bytes"}, "Driven.HeapLive": {unit: "bytes"},

	"Usage.SystemSeconds": {unknown: true}, "Usage.MemoryMean": {unit: "bytes", unknown: true}, "Usage.MemoryPeak": {unit: "bytes", unknown: true},
	"Usage.CPUs": {unit: "count"}, "Usage.ThrottleSeconds": {unread: func(part any) bool { return part.(record.Usage).Source == record.ByClock }},

	"Memory.Steady": {unit: "bytes", unknown: true}, "Memory.Peak": {unit: "bytes", unknown: true},

	"Counts.Bytes":     {unit: "bytes"},
	"Counts.Duplicate": {only: "Checking"}, "Counts.Orphans": {only: "Checking"}, "Counts.Traces": {only: "Checking"}, "Counts.Evicted": {only: "Checking"},

	"Harness.StealSeconds": {unread: unreadBy("steal_seconds")}, "Harness.LoadAverage": {unit: "count", unread: unreadBy("load_average")},
	"Harness.OwnCPU": {unit: "s"},

	"Search.Target": {column: true}, "Search.Rate": {unit: "1/s"}, "Search.Passing": {unit: "1/s", unknown: true},
	"Search.Failing": {unit: "1/s", unknown: true}, "Search.Base": {unit: "1"}, "Search.Demand": {unit: "s"},

	"Probe.Rate": {unit: "1/s"}, "Probe.Utilisation": {unit: "1"}, "Probe.Hottest": {unit: "1", unknown: true}, "Probe.Others": {unit: "1"},
	"Probe.Expected": {unit: "count"}, "Probe.Lost": {unit: "count", only: "Expected"},
}

// unreadBy asks the harness whether it could read a figure of its own.
func unreadBy(name string) func(any) bool {
	return func(part any) bool { return slices.Contains(part.(record.Harness).Unread, name) }
}

// take takes the figures of a part. What runs.jsonl leaves out has none.
func (t *taken) take(a at, of whose, part any) {
	v := reflect.ValueOf(part)
	for i := range v.NumField() {
		f := v.Type().Field(i)
		known := fields[v.Type().Name()+"."+f.Name]
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		value := v.Field(i)
		absent := (option == "omitempty" || known.unknown || t.failed) && value.IsZero()
		if known.column || absent || known.unread != nil && known.unread(part) || known.only != "" && v.FieldByName(known.only).IsZero() {
			continue
		}
		if value.Kind() == reflect.Pointer {
			if value.IsNil() {
				continue
			}
			value = value.Elem()
		}
		t.values(a, of, name, cmp.Or(known.unit, unitOf(name, value.Kind())), value)
	}
}

// unitOf is the unit of a figure that its name and its type tell; "" where they do not.
func unitOf(name string, kind reflect.Kind) string {
	switch {
	case name == "seconds" || strings.HasSuffix(name, "_seconds"):
		return "s"
	case kind == reflect.Bool:
		return "bool"
	case kind == reflect.Float64:
		return ""
	}
	return "count"
}

// values takes a number, or those of a table or a list; another kind of value has none.
func (t *taken) values(a at, of whose, metric, unit string, value reflect.Value) {
	if v, is := number(value); is {
		t.add(a, of, metric, "", unit, v)
		return
	}
	switch value.Kind() {
	case reflect.Map:
		keys := value.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(fmt.Sprint(x), fmt.Sprint(y)) })
		for _, key := range keys {
			t.entry(a, of, metric, fmt.Sprint(key), unit, value.MapIndex(key))
		}
	case reflect.Slice:
		for i := range value.Len() {
			if v, is := number(value.Index(i)); is {
				t.add(a, of, metric, fmt.Sprint(i+1), unit, v)
			}
		}
	}
}

// entry takes what a table has under a name: a number, or numbers by size, as of traces by their root and their spans.
func (t *taken) entry(a at, of whose, metric, name, unit string, value reflect.Value) {
	if v, is := number(value); is {
		t.add(a, of, metric, name, unit, v)
		return
	}
	if value.Kind() != reflect.Map {
		return
	}
	keys := value.MapKeys()
	slices.SortFunc(keys, func(x, y reflect.Value) int { return cmp.Compare(x.Int(), y.Int()) })
	for _, size := range keys {
		if v, is := number(value.MapIndex(size)); is {
			t.add(a, of, metric, fmt.Sprint(size)+" "+name, unit, v)
		}
	}
}

// number is a value as a number; a truth is 1 or 0.
func number(v reflect.Value) (float64, bool) {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1, true
		}
		return 0, true
	case reflect.Int, reflect.Int64:
		return float64(v.Int()), true
	case reflect.Uint64:
		return float64(v.Uint()), true
	case reflect.Float64:
		return v.Float(), true
	}
	return 0, false
}

// This file takes what was counted where the spans' way ends: by the sink, or by a backend in its place.

// ofBackend is the process that a backend's own counts are of.
func ofBackend(b *record.Backend) whose {
	return whose{process: b.Name, role: string(role.Backend)}
}

// received takes what came to the end of the spans' way. A backend there counts spans, and nothing else.
func (t *taken) received(r *record.Record, a at, c record.Counts) {
	if r.Backend == nil {
		t.take(a, ofSink, c)
		return
	}
	if c.Spans > 0 || !t.failed {
		t.add(a, ofBackend(r.Backend), "spans", "", "count", float64(c.Spans))
	}
}

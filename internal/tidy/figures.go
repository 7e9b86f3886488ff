// This file takes the figures of one part of a record by its fields, so that none is forgotten: each number, and each
// table of numbers by name, under its name in runs.jsonl.

package tidy

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tracetax/tracetax/internal/record"
)

// figure is one value.
type figure struct {
	at at
	whose
	metric string // as the field is called in runs.jsonl
	key    string // of a table by name
	unit   string
	value  float64
}

// taken are the figures of a run. In one that failed a zero may be of what it never reached, so that none has a row.
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

	"Phase.Position": {column: true}, "Phase.OfferedRate": {unit: "1/s", unknown: true}, "Phase.Others": {unit: "1"},

	"Slice.TimeSeconds": {unknown: true}, "Window.Others": {unit: "1"},

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

	"Capacity.Target": {column: true}, "Capacity.Rate": {unit: "1/s"}, "Capacity.Passing": {unit: "1/s", unknown: true},
	"Capacity.Failing": {unit: "1/s", unknown: true}, "Capacity.Base": {unit: "1"}, "Capacity.Demand": {unit: "s"},

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

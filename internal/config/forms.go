// Forms: how a value stands in a file. A form is a row: what reads it, what writes it, and its shape in a schema.

package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/role"
)

// form is one of them. What has no reader is a struct, or several; what has no writer is written as its type is.
type form struct {
	shape string // of the schema; see Key.Shape
	read  func(s *source, n *node, k key) any
	write func(w writer, v any) any
}

// The forms of several structs.
const (
	formNamed     = "named"    // a list of structs that is a mapping by Name in the file
	formByTracer  = "byTracer" // a mapping by the name of a tracer, or default
	formOrNothing = "orNothing"
)

// formOfType is the form of a field that names none.
func formOfType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "line"
	case reflect.Bool:
		return "flag"
	case reflect.Float64:
		return "number"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		if t == durationType {
			return "duration"
		}
		return "whole"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return "texts"
		}
	case reflect.Map:
		if t.Elem().Kind() == reflect.String {
			return "env"
		}
	}
	return ""
}

// Shapes of values in a schema.
const (
	ShapeText     = "Text"
	ShapeTexts    = "Texts"
	ShapeCommand  = "Command"
	ShapeDuration = "Duration"
	ShapeSize     = "Size"
	ShapeRate     = "Rate"
	ShapeEnv      = "Environment"
	ShapeFlag     = "boolean"
	ShapeWhole    = "integer"

	ShapeCommands   = "Commands"   // a list of commands
	ShapeOperations = "Operations" // operations by their names
	ShapeHop        = "Hop"        // keys of the same service
)

func formOf(name string) form {
	switch name {
	case "text":
		return form{ShapeText, func(s *source, n *node, _ key) any { return s.text(n) }, nil}
	case "line":
		return form{ShapeText, readWord, nil}
	case "flag":
		return form{ShapeFlag, func(s *source, n *node, _ key) any { return s.flag(n) }, nil}
	case "whole":
		return form{ShapeWhole, readWhole, nil}
	case "number":
		return form{ShapeText, readNumber, nil}
	case "duration":
		return form{ShapeDuration, readDuration, func(_ writer, v any) any { return formatDuration(v.(time.Duration)) }}
	case "size":
		return form{ShapeSize, func(s *source, n *node, _ key) any { return s.size(n) }, func(_ writer, v any) any { return formatSize(v.(int64)) }}
	case "rate":
		return form{ShapeRate, func(s *source, n *node, _ key) any { return s.rate(n) }, func(_ writer, v any) any { return formatRate(v.(float64)) }}
	case "texts":
		return form{ShapeTexts, func(s *source, n *node, _ key) any { return s.texts(n) }, func(_ writer, v any) any { return inline[string](v.([]string)) }}
	case "env":
		return form{ShapeEnv, func(s *source, n *node, _ key) any { return s.env(n, s.known) }, func(w writer, v any) any { return w.env(v.(map[string]string)) }}
	case "regexp":
		return form{ShapeText, func(s *source, n *node, _ key) any { return s.compile(n) }, nil}
	case "filled": // a line with placeholders
		return form{ShapeText, readFilled, nil}
	case "command":
		return form{ShapeCommand, func(s *source, n *node, _ key) any { return s.command(n, s.known) }, func(w writer, v any) any { return w.words(v.([]string)) }}
	case "arguments":
		return form{ShapeTexts, func(s *source, n *node, _ key) any { return s.arguments(n, s.known) }, func(w writer, v any) any { return w.words(v.([]string)) }}
	case "commands":
		return form{ShapeCommands, readCommands, func(_ writer, v any) any { return inline[[]string](v.([][]string)) }}
	case "dir":
		return form{ShapeText, func(s *source, n *node, _ key) any { return s.dir(n, s.known) }, nil}
	case "ready":
		return form{ShapeText, func(s *source, n *node, _ key) any { return s.ready(n, s.known) }, func(w writer, v any) any { return w.text(v.(string)) }}
	case "role":
		return form{"Role", readRole, func(_ writer, v any) any { return string(v.(role.Role)) }}
	case "service": // the process of a service is looked up before the keys are read, which win over it
		return form{ShapeText, func(*source, *node, key) any { return nil }, func(_ writer, v any) any { return v.(*Service).Name }}
	case "hop": // read by the service that has it, with its own keys
		return form{ShapeHop, func(*source, *node, key) any { return nil }, func(writer, any) any { return nil }}
	}
	return moreForms(name)
}

// moreForms are those that one key alone has.
func moreForms(name string) form {
	switch name {
	case "lockfile":
		return form{ShapeText, func(s *source, n *node, k key) any { return s.lockFile(n, k.name, k.tag(tagMeans)) }, nil}
	case "projects":
		return form{ShapeText, func(s *source, n *node, _ key) any { return s.projects(n) }, nil}
	case "pattern":
		return form{ShapeText, func(s *source, n *node, _ key) any { return s.pattern(n) }, nil}
	case "shared":
		return form{ShapeTexts, func(s *source, n *node, _ key) any { return s.share(n) }, nil}
	case "programs":
		return form{ShapeEnv, func(s *source, n *node, _ key) any { return s.programs(n) }, nil}
	case "templates":
		return form{ShapeTexts, func(s *source, n *node, _ key) any { return s.templates(n, s.known) }, func(_ writer, v any) any { return inline[string](v.([]string)) }}
	case "filledTemplates": // of a workload's process: their texts, by name
		return form{ShapeTexts, func(s *source, n *node, _ key) any { return s.ownTemplates(n, s.known) }, func(writer, any) any { return nil }}
	case "page":
		return form{ShapeText, func(s *source, n *node, _ key) any { return s.page(n) }, nil}
	case "receives":
		return form{ShapeEnv, func(s *source, n *node, _ key) any { return s.receives(n) }, writeReceives}
	case "components":
		return form{"", readComponents, func(_ writer, v any) any { return v }}
	case "max":
		return form{"", readMax, writeMax}
	case "verify":
		return form{"", readVerify, func(w writer, v any) any { return single("run", w.words(v.([]string))) }}
	case "operations": // read by the workload, which knows whether it drives itself
		return form{ShapeOperations, func(*source, *node, key) any { return nil }, func(w writer, v any) any { return w.operations(v.([]Operation)) }}
	case "driver": // self-driving is written as self: true
		return form{"Driver", func(s *source, n *node, _ key) any { return s.driver(n) }, func(_ writer, v any) any {
			if v == SelfDriving {
				return nil
			}
			return string(v.(Driver))
		}}
	case "folder":
		return form{ShapeText, func(s *source, n *node, _ key) any { return filepath.FromSlash(s.line(n)) }, nil}
	case "path": // the way to a value in a JSON text
		return form{ShapeText, func(s *source, n *node, _ key) any { return strings.Split(s.line(n), ".") }, func(_ writer, v any) any { return strings.Join(v.([]string), ".") }}
	case "what":
		return form{"What", func(s *source, n *node, _ key) any { return s.oneOf(n, "what", saysIn(s.in)...) }, nil}
	case "series":
		return form{ShapeText, func(s *source, n *node, _ key) any { return s.series(n) }, nil}
	case "label":
		return form{ShapeText, func(s *source, n *node, _ key) any { return s.label(n) }, nil}
	case "tells":
		return form{ShapeText, func(s *source, n *node, _ key) any { return s.tells(n) }, nil}
	case "meaning":
		return form{"Meaning", func(s *source, n *node, _ key) any { return s.oneOf(n, "meaning", meaningsIn(s.in)...) }, nil}
	case "sends":
		return form{"Protocol", func(s *source, n *node, _ key) any { return s.sends(n) }, writeProtocols}
	case "steps":
		return form{ShapeTexts, func(s *source, n *node, _ key) any { return s.stepsLeft(n) }, func(_ writer, v any) any { return inline[string](v.([]string)) }}
	case "files":
		return form{ShapeEnv, func(s *source, n *node, _ key) any { return s.spanFiles(n) }, nil}
	}
	return form{}
}

func readWord(s *source, n *node, k key) any {
	if words := k.words(tagOne); len(words) > 0 {
		return s.oneOf(n, k.name, words...)
	}
	return s.line(n)
}

func readFilled(s *source, n *node, _ key) any {
	text := s.line(n)
	s.placeholders(n.at, text, s.known)
	return text
}

func readWhole(s *source, n *node, k key) any {
	var low, high int
	k.bounds(&low, &high)
	return s.whole(n, low, high)
}

func readNumber(s *source, n *node, k key) any {
	var low, high float64
	k.bounds(&low, &high)
	return s.number(n, low, high)
}

func readDuration(s *source, n *node, k key) any {
	least, most, _ := strings.Cut(k.tag(tagRange), "..")
	low, err := time.ParseDuration(least)
	high, also := time.ParseDuration(most)
	if err != nil || also != nil {
		panic(fmt.Sprintf("config: %s.%s needs a range of durations", k.owner, k.field.Name))
	}
	return s.duration(n, low, high)
}

// bounds are the least and the most of a number.
func (k key) bounds(low, high any) {
	least, most, _ := strings.Cut(k.tag(tagRange), "..")
	_, err := fmt.Sscan(least, low)
	_, also := fmt.Sscan(most, high)
	if err != nil || also != nil {
		panic(fmt.Sprintf("config: %s.%s needs a range of numbers", k.owner, k.field.Name))
	}
}

func readCommands(s *source, n *node, k key) any {
	if n.kind != list {
		s.fail(n.at, "%s must be a list of commands, not %s", k.name, n.kind)
		return nil
	}
	var out [][]string
	for _, item := range n.items {
		out = append(out, s.command(item, s.known))
	}
	return out
}

func writeMax(_ writer, v any) any {
	var p pairs
	for _, word := range slices.Sorted(maps.Keys(v.(map[string]int))) {
		p.add(word, v.(map[string]int)[word])
	}
	return p
}

func writeReceives(_ writer, v any) any {
	var p pairs
	for _, r := range protocol.Table {
		if address, takes := v.(map[protocol.Name]string)[r.Name]; takes {
			p.add(r.Word, address)
		}
	}
	return p
}

func writeProtocols(_ writer, v any) any {
	var out []string
	for _, r := range rows(v.([]protocol.Name)) {
		out = append(out, r.Word)
	}
	return inline[string](out)
}

// What tests, show and the documentation see of the rows.

// Key is a key of a file.
type Key struct {
	Name     string
	Shape    string // see the Shape constants; "" of structs
	Field    reflect.StructField
	Type     reflect.Type // of its value: the field's, or of the keys that the field is made of
	Owner    reflect.Type // the struct that declares it
	Enum     []string     // the words that are right; none: not a closed list
	Named    bool         // of several structs: a mapping by name
	Nothing  bool         // likewise: nothing will do for one of them
	Required bool
}

// madeOf are the structs that the fields of some forms are made of.
var madeOf = map[string]reflect.Type{"max": reflect.TypeFor[Max](), "verify": reflect.TypeFor[Verify](), "components": reflect.TypeFor[Sections]()}

// Keys are the keys of a struct in the file of a "tracer", a "service" or a "workload".
func Keys(of reflect.Type, in string) []Key {
	var out []Key
	for _, k := range keysOf(of, fileKind(in)) {
		one := Key{Name: k.name, Shape: formOf(k.form).shape, Field: k.field, Type: k.field.Type, Owner: k.owner, Required: slices.Contains(k.words(tagRequired), in)}
		if of := madeOf[k.form]; of != nil {
			one.Type = of
		}
		one.Named = k.form == formNamed || one.Type.Kind() == reflect.Map
		one.Nothing = k.form == formOrNothing
		switch one.Enum = k.words(tagOne); one.Shape {
		case "Role":
			one.Enum = rolesIn(fileKind(in))
		case "What":
			one.Enum = saysIn(fileKind(in))
		case "Driver":
			for _, r := range Drivers {
				one.Enum = append(one.Enum, string(r.Name))
			}
		case "Meaning":
			one.Enum = meaningsIn(fileKind(in))
		case "Protocol":
			for _, r := range protocol.Table {
				one.Enum = append(one.Enum, r.Word)
			}
		}
		out = append(out, one)
	}
	return out
}

// Values are the keys of a tracer, a service or a workload that have a value, in the order of their fields, as JSON has
// them: durations and the like are texts, and what has a name is a list. Of is a pointer.
func Values(of any, in string) Object { return writer{listed: true}.written(of, fileKind(in)) }

// rolesIn are the roles that a file of a kind may give.
func rolesIn(in fileKind) []string {
	var out []string
	for _, r := range role.Named() {
		if in != inTracer || r != role.App {
			out = append(out, string(r))
		}
	}
	if in == inService {
		out = append(out, string(role.Sink))
	}
	return out
}

// readRole reads a role: the program under test is the workload's, and the harness's own that of a service that only counts.
func readRole(s *source, n *node, _ key) any {
	switch text := s.text(n); {
	case text == string(role.Sink) && s.in == inService:
		return role.Sink
	case text == string(role.App) && s.in == inTracer:
		s.fail(n.at, "role app is that of the program under test; what a tracer brings is a sidecar, a collector, a backend or a database")
		return role.Sidecar
	}
	return s.role(n)
}

// meaningsIn are what a setting may mean.
func meaningsIn(in fileKind) []string {
	if in == inService {
		return []string{meaningSampling, meaningDelay, MeaningRoom}
	}
	return []string{meaningSampling, meaningDelay}
}

// saysIn are what a tracer or a service may say of spans.
func saysIn(in fileKind) []string {
	if in == inTracer {
		return tracerSays
	}
	return serviceSays
}

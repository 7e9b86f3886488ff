// Forms: how a value stands in a file. A form is a row: what reads it, what writes it, and its shape in a schema.

package program

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/kubernetes/manifests"
	"github.com/tracetax/tracetax/internal/protocol"
	"github.com/tracetax/tracetax/internal/role"
)

// form is one of them. What has no reader is a struct, or several; what has no writer is written as its type is.
type form struct {
	shape string // of the schema; see Key.Shape
	read  func(s *Source, n *Node, k key) any
	write func(w Writer, v any) any
	words func(in fileKind) []string // those that are right, where no tag lists them
	of    reflect.Type               // the struct whose keys the value has
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
	ShapeShare    = "Share"
	ShapeSize     = "Size"
	ShapeRate     = "Rate"
	ShapeEnv      = "Environment"
	ShapeFlag     = "boolean"
	ShapeWhole    = "integer"
	ShapeHop      = "PassingService" // keys of the same service

	// What a shape begins with that is a list of another one, or a mapping of names to it.
	ShapeList   = "[]"
	ShapeByName = "{}"
)

// forms are all of them, by their names.
var forms map[string]form

func init() { // the readers of structs look here themselves
	forms = map[string]form{
		"text":     {shape: ShapeText, read: by((*Source).Text)},
		"line":     {shape: ShapeText, read: readWord},
		"flag":     {shape: ShapeFlag, read: by((*Source).flag)},
		"whole":    {shape: ShapeWhole, read: readWhole},
		"number":   {shape: ShapeText, read: readNumber},
		"duration": {shape: ShapeDuration, read: readDuration, write: as(FormatDuration)},
		"size":     {shape: ShapeSize, read: by((*Source).size), write: as(formatSize)},
		"rate":     {shape: ShapeRate, read: by((*Source).Rate), write: as(FormatRate)},
		"shareIn":  {shape: ShapeShare, read: readShareIn, write: as(FormatShare)}, // a share within a range
		"bound":    {shape: ShapeShare, read: by((*Source).bound), write: as(func(v *float64) string { return FormatShare(*v) })},
		"texts":    {shape: ShapeTexts, read: by((*Source).Texts), write: inLine},
		"env":      {shape: ShapeEnv, read: by((*Source).env), write: writeEnv},
		"regexp":   {shape: ShapeText, read: by((*Source).compile)},

		// With placeholders.
		"filled":            {shape: ShapeText, read: by((*Source).filled)},
		"command":           {shape: ShapeCommand, read: by((*Source).command), write: writeWords},
		"arguments":         {shape: ShapeTexts, read: by((*Source).arguments), write: writeWords},
		"commands":          {shape: ShapeList + ShapeCommand, read: readCommands, write: as(func(v [][]string) any { return Inline[[]string](v) })},
		"dir":               {shape: ShapeText, read: by((*Source).dir)},
		"image":             {shape: ShapeText, read: by((*Source).image)},
		"manifests":         {shape: ShapeText, read: by((*Source).Text), write: func(w Writer, v any) any { return manifests.Rewrite(v.(string), w.Value) }},
		"marks":             {shape: ShapeEnv, read: readMarks, write: writeEnv}, // labels or annotations of pods
		"host":              {shape: ShapeText, read: by((*Source).host)},
		"number or setting": {shape: ShapeText, read: readSettable, write: as(numberOrText)},
		"size or setting":   {shape: ShapeSize, read: readSettable},
		"only":              {shape: ShapeEnv, read: by((*Source).only)},
		"ready":             {shape: ShapeText, read: by((*Source).ready), write: func(w Writer, v any) any { return w.text(v.(string)) }},
		"page":              {shape: ShapeText, read: by((*Source).page)},
		"templates":         {shape: ShapeTexts, read: by((*Source).templates), write: inLine},
		"filledTemplates":   {shape: ShapeTexts, read: by((*Source).ownTemplates), write: unwritten}, // of a workload's process: their texts, by name
		"userEnv":           {shape: ShapeEnv, read: by((*Source).userEnv), write: writeEnv},         // variables of the user's own

		// Read by the struct that has them, before its other keys, or after them.
		"service":    {shape: ShapeText, read: unread, write: as(func(v *Service) string { return v.Name })},
		"topology":   {shape: ShapeText, read: unread},
		"hop":        {shape: ShapeHop, read: unread, write: unwritten},
		"operations": {shape: ShapeByName + "OperationOrURL", read: unread, write: func(w Writer, v any) any { return w.operations(v.([]Operation)) }},

		// Of one key alone.
		"role":       {shape: ShapeText, read: readRole, words: rolesIn, write: as(func(v role.Role) string { return string(v) })},
		"lockfile":   {shape: ShapeText, read: func(s *Source, n *Node, k key) any { return s.lockFile(n, k.name, k.tag(tagMeans)) }},
		"projects":   {shape: ShapeText, read: by((*Source).projects)},
		"pattern":    {shape: ShapeText, read: by((*Source).pattern)},
		"shared":     {shape: ShapeTexts, read: by((*Source).share)},
		"programs":   {shape: ShapeEnv, read: by((*Source).programs)},
		"receives":   {shape: ShapeEnv, read: by((*Source).receives), write: writeReceives},
		"components": {of: reflect.TypeFor[Sections](), read: by((*Source).components), write: as(func(v Components) any { return v })},
		"max":        {of: reflect.TypeFor[Max](), read: by((*Source).max), write: writeMax},
		"verify":     {of: reflect.TypeFor[Verify](), read: by((*Source).verify), write: func(w Writer, v any) any { return single("run", w.words(v.([]string))) }},
		"driver":     {shape: ShapeText, read: by((*Source).driver), words: driverNames, write: writeDriver},
		"folder":     {shape: ShapeText, read: by(func(s *Source, n *Node) string { return filepath.FromSlash(s.Line(n)) })},
		"path":       {shape: ShapeText, read: by(func(s *Source, n *Node) []string { return strings.Split(s.Line(n), ".") }), write: as(func(v []string) string { return strings.Join(v, ".") })}, // the way to a value in a JSON text
		"what":       {shape: ShapeText, read: readOne, words: saysIn},
		"meaning":    {shape: ShapeText, read: readOne, words: meaningsIn},
		"series":     {shape: ShapeText, read: by((*Source).series)},
		"label":      {shape: ShapeText, read: by((*Source).label)},
		"tells":      {shape: ShapeText, read: by((*Source).tells)},
		"sends":      {shape: ShapeText, read: by((*Source).sends), words: protocolWords, write: writeProtocols},
		"steps":      {shape: ShapeTexts, read: by((*Source).stepsLeft), write: inLine},
		"files":      {shape: ShapeEnv, read: by((*Source).spanFiles)},
		"headers":    {shape: ShapeEnv, read: by((*Source).headers), write: writeEnv},
		"body":       {shape: "BodyOrText", read: by((*Source).body), write: as(bodyOf)},
		"statuses":   {shape: "Statuses", read: by((*Source).statuses), write: writeStatuses},
		"spans":      {shape: "Spans", read: by((*Source).spans), write: as(spansOf)},
		"metric":     {shape: ShapeText, read: by((*Source).metric)},                                                                       // of findings.json
		"weights":    {shape: ShapeByName + ShapeShare, read: readWeights},                                                                 // of operations
		"calls":      {shape: ShapeList + "CallOrStep", read: readCalls},                                                                   // steps of a method of a topology
		"part":       {shape: ShapeShare, read: readPart},                                                                                  // a share that is not nought
		"bytes":      {shape: ShapeSize, read: readBytes},                                                                                  // a size that is not nought
		"among":      {shape: ShapeTexts, read: func(s *Source, n *Node, k key) any { return s.among(n, k.tag(tagMeans)) }, write: inLine}, // names of what an experiment has
	}
}

// by is a reader that needs nothing of its key, as a writer that needs nothing of the file.
func by[T any](read func(*Source, *Node) T) func(*Source, *Node, key) any {
	return func(s *Source, n *Node, _ key) any { return read(s, n) }
}

func as[T, R any](write func(T) R) func(Writer, any) any {
	return func(_ Writer, v any) any { return write(v.(T)) }
}

func unread(*Source, *Node, key) any { return nil }

func unwritten(Writer, any) any { return nil }

func inLine(_ Writer, v any) any { return Inline[string](v.([]string)) }

func writeEnv(w Writer, v any) any { return w.Env(v.(map[string]string)) }

func writeWords(w Writer, v any) any { return w.words(v.([]string)) }

// readOne reads one of the words of the key's form.
func readOne(s *Source, n *Node, k key) any { return s.oneOf(n, k.name, forms[k.form].words(s.In)...) }

func readWord(s *Source, n *Node, k key) any {
	if words := k.words(tagOne); len(words) > 0 {
		return s.oneOf(n, k.name, words...)
	}
	return s.Line(n)
}

func readWhole(s *Source, n *Node, k key) any {
	low, high := bounds(k, strconv.Atoi)
	return s.Whole(n, low, high)
}

func readNumber(s *Source, n *Node, k key) any {
	low, high := bounds(k, func(text string) (float64, error) { return strconv.ParseFloat(text, 64) })
	return s.number(n, low, high)
}

func readDuration(s *Source, n *Node, k key) any {
	low, high := bounds(k, time.ParseDuration)
	return s.Duration(n, low, high)
}

func readShareIn(s *Source, n *Node, k key) any {
	low, high := bounds(k, ParseShare)
	return s.ShareBetween(n, low, high)
}

// bounds are the least and the most of a value.
func bounds[T any](k key, parse func(string) (T, error)) (low, high T) {
	least, most, _ := strings.Cut(k.tag(tagRange), "..")
	low, err := parse(least)
	high, also := parse(most)
	if err != nil || also != nil {
		panic(fmt.Sprintf("config: %s.%s needs a range", k.owner, k.field.Name))
	}
	return low, high
}

func readCommands(s *Source, n *Node, k key) any {
	if n.Kind != List {
		s.Fail(n.At, "%s must be a list of commands, not %s", k.name, n.Kind)
		return nil
	}
	var out [][]string
	for _, item := range n.Items {
		out = append(out, s.command(item))
	}
	return out
}

func writeStatuses(_ Writer, v any) any {
	all := v.([]int)
	if len(all) == 1 {
		return all[0]
	}
	return all
}

func writeMax(_ Writer, v any) any {
	var p Object
	for _, word := range slices.Sorted(maps.Keys(v.(map[string]int))) {
		p.Add(word, v.(map[string]int)[word])
	}
	return p
}

func writeReceives(_ Writer, v any) any {
	var p Object
	for _, r := range protocol.Table {
		if address, takes := v.(map[protocol.Name]string)[r.Name]; takes {
			p.Add(r.Word, address)
		}
	}
	return p
}

func protocolWords(fileKind) []string {
	var out []string
	for _, r := range protocol.Table {
		out = append(out, r.Word)
	}
	return out
}

func writeProtocols(_ Writer, v any) any {
	var out []string
	for _, r := range Rows(v.([]protocol.Name)) {
		out = append(out, r.Word)
	}
	return Inline[string](out)
}

// What tests, show and the documentation see of the rows.

// Key is a key of a file.
type Key struct {
	Name     string
	Shape    string // see the Shape constants; "" of structs
	Items    string // the fewest and the most items of a list, as 2..50; ""
	Field    reflect.StructField
	Type     reflect.Type // of its value: the field's, or of the keys that the field is made of
	Owner    reflect.Type // the struct that declares it
	Enum     []string     // the words that are right; none: not a closed list
	Named    bool         // of several structs: a mapping by name
	Nothing  bool         // likewise: nothing will do for one of them
	Required bool
}

// Keys are the keys of a struct in the file of an "experiment", a "workload", a "service" or a "tracer".
func Keys(of reflect.Type, in string) []Key {
	var out []Key
	for _, k := range keysOf(of, fileKind(in)) {
		form := forms[k.form]
		one := Key{
			Name: k.name, Shape: cmp.Or(k.tag(tagShape), form.shape), Items: k.tag(tagItems), Field: k.field, Type: k.field.Type, Owner: k.owner,
			Enum: k.words(tagOne), Named: k.form == formNamed, Nothing: k.form == formOrNothing, Required: slices.Contains(k.words(tagRequired), in),
		}
		if form.of != nil {
			one.Type = form.of
		}
		if form.words != nil {
			one.Enum = form.words(fileKind(in))
		}
		one.Named = one.Named || one.Type.Kind() == reflect.Map
		out = append(out, one)
	}
	return out
}

// Values are the keys of a tracer, a service or a workload that have a value, in the order of their fields, as JSON has
// them: durations and the like are texts, and what has a name is a list. Of is a pointer.
func Values(of any, in string) Object { return Writer{listed: true}.Written(of, fileKind(in)) }

// rolesIn are the roles that a file of a kind may give.
func rolesIn(in fileKind) []string {
	var out []string
	for _, r := range role.Named() {
		if in != inTracer || r != role.App && r != role.Platform {
			out = append(out, string(r))
		}
	}
	return out
}

// readRole reads a role: the program under test is the workload's.
func readRole(s *Source, n *Node, _ key) any {
	if text := s.Text(n); s.In == inTracer && (text == string(role.App) || text == string(role.Platform)) {
		s.Fail(n.At, "role %s is for the workload's processes; what a tracer brings is a sidecar, a collector, a backend or a database", text)
		return role.Sidecar
	}
	return s.role(n)
}

// meaningsIn lists the meanings of settings.
func meaningsIn(in fileKind) []string {
	if in == inService {
		return []string{MeaningSampling, MeaningDelay, MeaningRoom}
	}
	return []string{MeaningSampling, MeaningDelay}
}

// saysIn lists the counts of spans that a tracer or a service may report.
func saysIn(in fileKind) []string {
	if in == inTracer {
		return tracerSays
	}
	return serviceSays
}

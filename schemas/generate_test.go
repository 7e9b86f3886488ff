package schemas_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/tracetax/tracetax/internal/config"
	"github.com/tracetax/tracetax/internal/config/program"
	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/metric"
	"github.com/tracetax/tracetax/internal/profile"
	"github.com/tracetax/tracetax/internal/record"
	"github.com/tracetax/tracetax/lab/graphs/topology"
	"github.com/tracetax/tracetax/schemas"
)

var update = flag.Bool("update", false, "write schemas/ again")

// folder is where the schemas are.
const folder = "."

// document is one of the schemas.
type document struct {
	name, title string
	of          any
	asked       bool // a person writes it: no key is needed but those that say so, and nothing is null
}

var documents = []document{
	{name: "experiment", title: schemas.ExperimentTitle, of: config.Experiment{}, asked: true},
	{name: "workload", title: "A workload.yaml of tracetax", of: program.Workload{}, asked: true},
	{name: "service", title: "A service.yaml of tracetax", of: program.Service{}, asked: true},
	{name: "tracer", title: "A tracer.yaml of tracetax", of: program.Tracer{}, asked: true},
	{name: "topology", title: "A topology of tracetax: a graph of services", of: topology.Graph{}, asked: true},
	{name: "causes", title: "A causes.yaml of tracetax: rules of profiles", of: profile.File{}, asked: true},
	{name: "findings", title: "findings.json of tracetax", of: finding.Document{}},
	{name: "runs", title: "A line of runs.jsonl of tracetax: the record of one run", of: record.Record{}},
}

// The schemas are what the types say.
func TestSchemas(t *testing.T) {
	read := readComments(t)
	for _, d := range documents {
		text := append(indented(t, read.schema(d)), '\n')
		path := filepath.Join(folder, d.name+".json")
		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(have, text) {
			t.Errorf("%s is stale: make it again with 'make schemas'", path)
		}
	}
}

func indented(t *testing.T, s *jsonschema.Schema) []byte {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// schema makes a document's schema.
func (c *comments) schema(d document) *jsonschema.Schema {
	if d.asked {
		return c.file(d)
	}
	lists := map[string]*jsonschema.Schema{} // definitions that the types do not name: closed lists
	r := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, LookupComment: c.of, Mapper: func(t reflect.Type) *jsonschema.Schema {
		list := c.list(t)
		if list == nil {
			return nil
		}
		lists[t.Name()] = list
		return reference(t.Name())
	}}
	s := r.Reflect(d.of)
	s.Title = d.title
	maps.Copy(s.Definitions, lists)
	for name, t := range structs(reflect.TypeOf(d.of), map[string]reflect.Type{}) {
		def := s.Definitions[name]
		if def == nil {
			def = s
		}
		allowNull(def, t)
	}
	if d.name == "findings" {
		s.Definitions["Metric"] = metrics()
		for _, def := range append(slices.Collect(maps.Values(s.Definitions)), s) {
			if def.Properties == nil {
				continue
			}
			if p, has := def.Properties.Get("metric"); has {
				p.Type, p.Ref = "", reference("Metric").Ref
			}
		}
	}
	return s
}

// file makes the schema of a file that a person writes.
func (c *comments) file(d document) *jsonschema.Schema {
	definitions := jsonschema.Definitions{}
	s := c.mapping(reflect.TypeOf(d.of), d.name, definitions)
	s.Version, s.Title, s.Definitions = jsonschema.Version, d.title, definitions
	further := map[string][]any{"experiment": {config.Variant{}, config.Profile{}, config.Capture{}, program.Hop{}, program.Setup{}}, "workload": {program.Operation{}, program.Step{}, program.Body{}, program.Workload{}}}
	if d.name == "topology" {
		further = map[string][]any{"topology": {topology.Step{}}}
	}
	for in, all := range further {
		for _, of := range all {
			definitions[reflect.TypeOf(of).Name()] = c.mapping(reflect.TypeOf(of), in, definitions)
		}
	}
	if hop := definitions["Hop"]; hop != nil {
		hop.AdditionalProperties = shaped("Text")
	}
	shorter(definitions)
	s.PatternProperties = map[string]*jsonschema.Schema{"^x-": {Description: "The author's own, such as anchors: it is ignored."}}
	prune(s)
	return s
}

func reference(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

// structs are those of a type by their names, its own among them.
func structs(t reflect.Type, seen map[string]reflect.Type) map[string]reflect.Type {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return structs(t.Elem(), seen)
	case reflect.Struct:
		if seen[t.Name()] != nil || t.PkgPath() == "time" {
			return seen
		}
		seen[t.Name()] = t
		for i := range t.NumField() {
			structs(t.Field(i).Type, seen)
		}
	}
	return seen
}

// allowNull has the fields of a struct be null that are written so where there is nothing.
func allowNull(def *jsonschema.Schema, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		kind := f.Type.Kind()
		known := f.Type != reflect.TypeFor[finding.Number]()
		if option == "omitempty" || known && kind != reflect.Pointer && kind != reflect.Slice && kind != reflect.Map {
			continue
		}
		p, _ := def.Properties.Get(name)
		inner := *p
		inner.Description = ""
		*p = jsonschema.Schema{Description: p.Description, AnyOf: []*jsonschema.Schema{&inner, {Type: "null"}}}
	}
}

// mapping is the schema of a struct whose keys package config reads, in a kind of file. What it refers to goes to defs.
func (c *comments) mapping(t reflect.Type, in string, defs jsonschema.Definitions) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema, Description: c.said(t, "")}
	for _, k := range program.Keys(t, in) {
		p := c.property(k, in, defs)
		p.Description = c.said(k.Owner, k.Field.Name)
		s.Properties.Set(k.Name, p)
		if k.Required {
			s.Required = append(s.Required, k.Name)
		}
	}
	if t == reflect.TypeFor[program.Workload]() { // a topology brings both
		s.AnyOf = []*jsonschema.Schema{{Required: []string{"processes", "operations"}}, {Required: []string{"topology"}}}
	}
	return s
}

// said is what the code says of a struct or of a key.
func (c *comments) said(t reflect.Type, field string) string {
	at := t.PkgPath() + "." + t.Name()
	if field != "" {
		at += "." + field
	}
	return strings.Join(strings.Fields(c.texts[at]), " ")
}

func (c *comments) property(k program.Key, in string, defs jsonschema.Definitions) *jsonschema.Schema {
	switch {
	case len(k.Enum) > 0:
		s := &jsonschema.Schema{Type: "string"}
		for _, word := range k.Enum {
			s.Enum = append(s.Enum, word)
		}
		return s
	case k.Shape == program.ShapeFlag || k.Shape == program.ShapeWhole:
		return &jsonschema.Schema{Type: k.Shape}
	case k.Shape == program.ShapeHop:
		if defs["PassingService"] == nil {
			defs["PassingService"] = &jsonschema.Schema{} // a hop has no hop
			hop := c.mapping(reflect.TypeFor[program.Service](), in, defs)
			hop.Properties.Delete("hop")
			hop.Properties.Delete("answers")
			hop.Required = nil
			hop.Description = "What a service is where spans pass through it."
			defs["PassingService"] = hop
		}
		return reference("PassingService")
	case k.Shape != "":
		return items(shaped(k.Shape), k.Items)
	}
	t, several := k.Type, false
	for t.Kind() != reflect.Struct {
		several = several || t.Kind() != reflect.Pointer
		t = t.Elem()
	}
	if defs[t.Name()] == nil {
		defs[t.Name()] = &jsonschema.Schema{} // a struct may hold itself
		defs[t.Name()] = c.mapping(t, in, defs)
	}
	one := reference(t.Name())
	if k.Nothing {
		one = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "null"}, one}}
	}
	switch {
	case k.Named:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: one}
	case several:
		return &jsonschema.Schema{Type: "array", Items: one}
	}
	return one
}

// items bounds the items of a list: 2..50.
func items(s *jsonschema.Schema, bounds string) *jsonschema.Schema {
	if bounds != "" {
		var least, most uint64
		if _, err := fmt.Sscanf(bounds, "%d..%d", &least, &most); err != nil {
			panic(err) // a tag of package config
		}
		s.MinItems, s.MaxItems = &least, &most
	}
	return s
}

// table is one that stands on a page of the documentation, between two marks.
type table struct {
	page, what, head string
	rows             func(*comments) []string
}

var tables = []table{
	{"experiment-file.md", "keys of a tracer", "| key | meaning |\n|---|---|", func(read *comments) (rows []string) {
		for _, k := range program.Keys(reflect.TypeFor[program.Tracer](), "tracer") {
			rows = append(rows, fmt.Sprintf("| `%s` | %s |", k.Name, inTable(read.said(k.Owner, k.Field.Name))))
		}
		return rows
	}},
	{"metrics.md", "metrics", "| metric | in reports, if otherwise | unit | what it is |\n|---|---|---|---|", func(*comments) (rows []string) {
		for _, row := range metric.Table {
			if row.IsCause() {
				continue // the page says by hand how these are named
			}
			title := metric.Title(row.Name)
			if title == strings.ReplaceAll(row.Name, "_", " ") {
				title = ""
			}
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |", row.Name, title, row.Unit, inTable(metric.Means(row.Name))))
		}
		return rows
	}},
}

// The tables in the documentation are what the code says.
func TestSchemasInDocs(t *testing.T) {
	read := readComments(t)
	for _, one := range tables {
		path, from, to := "../docs/"+one.page, fmt.Sprintf("<!-- %s, made by 'make schemas' -->\n", one.what), fmt.Sprintf("<!-- end of the %s -->", one.what)
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before, rest, there := strings.Cut(string(page), from)
		have, after, ends := strings.Cut(rest, to)
		if !there || !ends {
			t.Fatalf("%s has no table between the marks %q and %q", path, from, to)
		}
		want := one.head + "\n" + strings.Join(one.rows(read), "\n") + "\n"
		if *update {
			if err := os.WriteFile(path, []byte(before+from+want+to+after), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if have != want {
			t.Errorf("the table of the %s in %s is stale: make it again with 'make schemas'", one.what, path)
		}
	}
}

// code are the parts of a description that Markdown would take for something else.
var code = regexp.MustCompile(`\{[A-Za-z_]+: "[^"]*"\}|\{[a-zA-Z.…]+\}|https?://\S*[^\s,;)]|\bSIGTERM\b`)

func inTable(text string) string {
	return strings.ReplaceAll(code.ReplaceAllString(text, "`$0`"), "|", `\|`)
}

// metrics is the list of all metrics.
func metrics() *jsonschema.Schema {
	s := &jsonschema.Schema{Description: "Name of a metric."}
	for _, row := range metric.Table {
		s.OneOf = append(s.OneOf, &jsonschema.Schema{Const: row.Name, Description: metric.Means(row.Name)})
	}
	return s
}

// Shapes of values that are texts or of several kinds.
const (
	anyDuration = `^(0|([0-9]+(\.[0-9]*)?(ns|us|µs|ms|s|m|h))+)$`
	anyShare    = `^-?[0-9.]+(e-?[0-9]+)? ?%?$`
	anyLimit    = `^-?[0-9.]+(e-?[0-9]+)? ?(%|ns|us|µs|ms|s|m|h|[KMGT]i?B?|kB|B)?$`
	anyRate     = `^[0-9.]+(e[+-]?[0-9]+)? ?(/ ?(s|sec|second|m|min|minute|h|hour))?$`
	anySize     = `^[0-9.]+ ?([KMGT]i?B?|kB|B)?$`
	anyCount    = `^[0-9.]+(\.\.[0-9.]+)?$`
)

// shaped is the schema of a type that is a text or of several kinds, nil of others.
func shaped(name string) *jsonschema.Schema {
	if of, is := strings.CutPrefix(name, program.ShapeList); is {
		return &jsonschema.Schema{Type: "array", Items: shaped(of)}
	}
	if of, is := strings.CutPrefix(name, program.ShapeByName); is {
		return &jsonschema.Schema{Type: "object", AdditionalProperties: shaped(of)}
	}
	text := func(pattern string) *jsonschema.Schema {
		s := types("string", "number")
		s.Pattern = pattern
		return s
	}
	switch name {
	case "Text":
		return types("string", "number", "boolean")
	case "Duration":
		return text(anyDuration)
	case "Share":
		return text(anyShare)
	case "Limit":
		return text(anyLimit)
	case "Rate":
		return text(anyRate)
	case "Size":
		return text(anySize)
	case "Count":
		return text(anyCount)
	case "Texts", "Command", "OneOrMoreRates":
		s := types("string", "number", "boolean", "array")
		s.Items = shaped("Text")
		return s
	case "OneOrMoreNumbers", "Statuses":
		s := types("integer", "array")
		s.Items = &jsonschema.Schema{Type: "integer"}
		return s
	case "Spans":
		s := types("string", "number", "object")
		s.Pattern, s.AdditionalProperties = anyCount, shaped("Count")
		return s
	case "Environment":
		return &jsonschema.Schema{Type: "object", AdditionalProperties: shaped("Text")}
	case "VariantOrTracer", "WorkloadOrName", "HopOrName", "HopOrHops", "OperationOrURL", "StepOrRequest", "SetupOrRequest", "CallOrStep", "BodyOrText", "ProfileOrTrue", "CaptureOrTracer":
		return reference(name)
	}
	return nil
}

// types allows several kinds of value.
func types(all ...string) *jsonschema.Schema {
	return &jsonschema.Schema{Extras: map[string]any{"type": all}}
}

// shorter defines the types that are a mapping or something shorter.
func shorter(definitions jsonschema.Definitions) {
	null, text := &jsonschema.Schema{Type: "null"}, shaped("Text")
	one := uint64(1)
	for name, kinds := range map[string][]*jsonschema.Schema{
		"VariantOrTracer": {null, text, reference("Variant")},
		"WorkloadOrName":  {text, reference("Workload")},
		"OperationOrURL":  {null, text, reference("Operation")},
		"StepOrRequest":   {text, reference("Step")},
		"SetupOrRequest":  {text, reference("Setup")},
		"CallOrStep":      {text, reference("Step")},
		"BodyOrText":      {text, reference("Body")},
		"CaptureOrTracer": {text, reference("Capture")},
		"ProfileOrTrue":   {types("boolean"), reference("Profile")},
		"HopOrName": {text, {Type: "object", MinProperties: &one, MaxProperties: &one,
			AdditionalProperties: &jsonschema.Schema{AnyOf: []*jsonschema.Schema{null, text, reference("Hop")}}}},
		"HopOrHops": {reference("HopOrName"), {Type: "array", MinItems: &one, Items: reference("HopOrName")}},
	} {
		definitions[name] = &jsonschema.Schema{AnyOf: kinds}
	}
}

// prune takes out the definitions that nothing refers to.
func prune(s *jsonschema.Schema) {
	all := s.Definitions
	s.Definitions = jsonschema.Definitions{}
	for {
		text, err := json.Marshal(s)
		if err != nil {
			panic(err) // it is made of texts
		}
		added := false
		for name, def := range all {
			if s.Definitions[name] == nil && bytes.Contains(text, []byte(`"#/$defs/`+name+`"`)) {
				s.Definitions[name], added = def, true
			}
		}
		if !added {
			return
		}
	}
}

// Each field of each schema says what it means, and so does each value of a closed list.
func TestEveryFieldIsDescribed(t *testing.T) {
	for _, d := range documents {
		text, err := os.ReadFile(filepath.Join(folder, d.name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var s any
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		fields := 0
		for at, lacks := range undescribed(d.name, s, &fields) {
			t.Errorf("%s has no description: %v", at, lacks)
		}
		if fields < 20 {
			t.Errorf("%s describes %d fields", d.name, fields)
		}
	}
}

// undescribed are the properties and the constants below a schema that say nothing.
func undescribed(at string, s any, fields *int) map[string]any {
	out := map[string]any{}
	switch s := s.(type) {
	case map[string]any:
		if properties, is := s["properties"].(map[string]any); is {
			for name, p := range properties {
				*fields++
				if p, is := p.(map[string]any); !is || p["description"] == nil {
					out[at+"."+name] = p
				}
			}
		}
		if value, is := s["const"]; is && s["description"] == nil {
			out[fmt.Sprintf("%s: %q", at, value)] = s
		}
		for name, inner := range s {
			maps.Copy(out, undescribed(at+"/"+name, inner, fields))
		}
	case []any:
		for _, inner := range s {
			maps.Copy(out, undescribed(at, inner, fields))
		}
	}
	return out
}

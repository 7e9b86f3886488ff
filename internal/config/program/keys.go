// Keys of files. A key is one row: a field with tags, beside the check of its struct. What reads it, what writes it, what
// show says of it, its schema and its line in the documentation come from that row.
//
// The library's strict decoder is not used: it ends at the first error, knows no near words, and has no bound on aliases.
// What it has parsed is decoded here, into the same structs, with all that is wrong at once.

package program

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tracetax/tracetax/internal/suggest"
)

// The tags of a field that is a key. Users read its comment, behind it on the line.
const (
	tagName     = "yaml"     // what it is called, or ",inline": the keys of that struct are the outer one's
	tagForm     = "as"       // how its value is written where the type of the field does not say it: see forms
	tagFile     = "of"       // the kinds of files that have it; none: all that have the struct
	tagRange    = "range"    // the least and the most of a number or a duration: 1..4096
	tagOne      = "one"      // the words that are right
	tagWords    = "words"    // which placeholders it may hold, where those differ from the struct's: see source.scope
	tagMeans    = "means"    // what an error calls its value
	tagExample  = "example"  // what an error shows where the value is not a list
	tagRequired = "required" // the kinds of files whose schema requires it; the check of the struct says why
	tagAlways   = "always"   // it is written even if it is zero
	tagShown    = "shown"    // what show calls a field that is no key of a file
	tagShape    = "shape"    // its shape in a schema, where the form does not say it
	tagItems    = "items"    // the fewest and the most items of a list: 2..50
	tagBy       = "by"       // the workloads whose operations have it: byRequests or byOrders; none: all
	// The tags of a blank field.
	tagCalled = "called" // what an error calls the struct
	tagRefuse = "refuse" // a key that is refused, with what to do instead in tagText
	tagText   = "text"
)

// formOwn is the form of a key that its struct reads and writes itself: it is of several fields, or others have to be read before.
const formOwn = "own"

// A struct with such keys is both; what write gives as nil is left out.
type (
	ownReader interface {
		ReadKey(s *Source, n *Node, key string)
	}
	ownWriter interface {
		WriteKey(w Writer, key string) any
	}
)

// Elsewhere is the type of a field that has no value: what its key says is kept in others.
type Elsewhere struct{}

// A kind of file: the same struct may have other keys in another one.
type fileKind string

const (
	inTracer   fileKind = "tracer"
	inService  fileKind = "service"
	InWorkload fileKind = "workload"

	InExperiment fileKind = "experiment"
	inTopology   fileKind = "topology"
	inCauses     fileKind = "causes"
)

// key is a row.
type key struct {
	name, form string
	owner      reflect.Type // the struct that declares it
	field      reflect.StructField
	index      []int // of the field, in the outermost struct
}

func (k key) tag(name string) string { return k.field.Tag.Get(name) }

// words returns the words of a tag.
func (k key) words(tag string) []string { return strings.Fields(k.tag(tag)) }

// of is the struct that declares the key, in the outermost one.
func (k key) of(outer reflect.Value) reflect.Value {
	return outer.FieldByIndex(k.index[:len(k.index)-1])
}

// keysOf are the keys of a struct in a kind of file, in the order of its fields.
func keysOf(t reflect.Type, in fileKind) []key {
	var out []key
	for i := range t.NumField() {
		f := t.Field(i)
		k := key{owner: t, field: f, index: f.Index, form: f.Tag.Get(tagForm)}
		name, option, _ := strings.Cut(k.tag(tagName), ",")
		k.name = name
		switch of := k.words(tagFile); {
		case option == "inline":
			for _, inner := range keysOf(f.Type, in) {
				inner.index = append([]int{i}, inner.index...)
				out = append(out, inner)
			}
		case name != "" && (len(of) == 0 || slices.Contains(of, string(in))):
			k.form = cmp.Or(k.form, formOfType(f.Type))
			out = append(out, k)
		}
	}
	return out
}

// allKeys are the keys of a struct, with the further ones that this one has.
func allKeys(v reflect.Value, in fileKind) []key {
	keys := keysOf(v.Type(), in)
	if of, is := v.Interface().(extender); is {
		behind, names := of.more()
		at := slices.IndexFunc(keys, func(k key) bool { return k.name == behind }) + 1
		for i, name := range names {
			keys = slices.Insert(keys, at+i, key{name: name, form: formOwn, index: []int{0}})
		}
	}
	return keys
}

// hasKey reports whether a struct has a key of that name: a setting beside its keys cannot be called so.
func hasKey[T any](in fileKind, name string) bool {
	return slices.ContainsFunc(keysOf(reflect.TypeFor[T](), in), func(k key) bool { return k.name == name })
}

// calledOf returns the name of a struct in errors, and the keys that it refuses.
func calledOf(t reflect.Type) (called string, refused map[string]string) {
	called, refused = strings.ToLower(t.Name()), map[string]string{}
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		called = cmp.Or(tag.Get(tagCalled), called)
		if word := tag.Get(tagRefuse); word != "" {
			refused[word] = tag.Get(tagText)
		}
	}
	return called, refused
}

// A struct may set what it is before its keys are read, and check it after; it may have further keys of its own form, and
// keys that are not written.
type (
	beginner interface{ Begin(s *Source, n *Node) }
	checker  interface{ Finish(s *Source, n *Node) }
	extender interface {
		more() (behind string, names []string)
	}
	leaver interface{ leaves(key string) bool }
)

// Reading is the state of a source at the place that it reads.
type Reading struct {
	In       fileKind
	Known    []string            // placeholders that a text may hold
	settings []string            // those of the file's settings, for the keys that may hold them besides
	several  []string            // processes of which there is one beside each of others, so that none of them can be named here
	siblings *Node               // the list in which the struct stands
	refused  map[string]string   // keys of the struct that do not go with the rest, and why
	Subject  *Workload           // whose operations, or whose variants, are read
	Names    map[string][]string // what claims may be about: variants, workloads and operations, by what they are
}

// Decode reads a mapping into a struct; into is a pointer to it.
func (s *Source) Decode(n *Node, into any) bool {
	v := reflect.ValueOf(into).Elem()
	called, refused := calledOf(v.Type())
	if n.Kind != Mapping {
		s.Fail(n.At, "%s must be a mapping of keys and values, not %s", called, n.Kind)
		return false
	}
	defer func(before Reading) { s.Reading = before }(s.Reading)
	s.refused = nil
	if of, is := into.(beginner); is {
		of.Begin(s, n)
	}
	keys := allKeys(v, s.In)
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	s.strangers(n, called, names, refused)
	for _, k := range keys {
		switch at, why := n.Get(k.name), s.refused[k.name]; {
		case at == nil:
		case why != "":
			s.Fail(at.At, "%s", why)
		default:
			s.value(k, at, v)
		}
	}
	if of, is := into.(checker); is {
		of.Finish(s, n)
	}
	return true
}

// strangers complains of the keys of a mapping that are none of the known ones.
func (s *Source) strangers(n *Node, called string, known []string, refused map[string]string) {
	for _, e := range n.Entries {
		if slices.Contains(known, e.Key) {
			continue
		}
		if why := refused[e.Key]; why != "" {
			s.Fail(e.Value.At, "%s", why)
			continue
		}
		hint := ""
		if e.Value.Kind == Null && strings.Contains(e.Key, " ") { // {description: one, and two}
			hint = "; a comma ends a text in braces: put the text into quotes"
		}
		if slices.Contains(known, "run") && e.Key == "command" { // as a need has
			s.Fail(e.At, "unknown key \"command\"; did you mean \"run\"? (in %s)", called)
			n.Meant = append(n.Meant, "run")
			continue
		}
		s.Fail(e.At, "%s", Unknown("key", Printable(e.Key), known)+" (in "+called+")"+hint)
		if near := suggest.Word(e.Key, known); near != "" {
			n.Meant = append(n.Meant, near)
		}
	}
}

// value reads the value of a key of a struct.
func (s *Source) value(k key, n *Node, of reflect.Value) {
	defer func(before Reading) { s.Reading = before }(s.Reading)
	s.Known = s.scope(k)
	if k.form == formOwn {
		k.of(of).Addr().Interface().(ownReader).ReadKey(s, n, k.name)
		return
	}
	into := of.FieldByIndex(k.index)
	if read := forms[k.form].read; read != nil {
		if out := reflect.ValueOf(read(s, n, k)); out.IsValid() {
			merge(into, out.Convert(into.Type()))
		}
		return
	}
	switch t := into.Type(); t.Kind() {
	case reflect.Struct:
		s.Decode(n, into.Addr().Interface())
	case reflect.Pointer:
		into.Set(reflect.New(t.Elem()))
		s.Decode(n, into.Interface())
	case reflect.Slice:
		s.list(k, n, into)
	case reflect.Map:
		s.byName(k, n, into)
	default:
		panic(fmt.Sprintf("config: no form for %s.%s", k.owner, k.field.Name))
	}
}

// merge puts a value into a field; the entries of a mapping go among those that are there.
func merge(into, value reflect.Value) {
	if into.Kind() == reflect.Map && into.Len() > 0 {
		for at := value.MapRange(); at.Next(); {
			into.SetMapIndex(at.Key(), at.Value())
		}
		return
	}
	into.Set(value)
}

// list reads a list of structs, or, in the form named, a mapping of names to them.
func (s *Source) list(k key, n *Node, into reflect.Value) {
	items := n.Items
	switch {
	case k.form == formNamed:
		items = nil
		for _, e := range s.Entries(n, k.name) {
			items = append(items, e.Value)
		}
	case n.Kind != List && k.tag(tagExample) != "":
		s.Fail(n.At, "%s must be a list, such as %s, not %s", k.name, k.tag(tagExample), n.Kind)
		return
	case n.Kind != List:
		s.Fail(n.At, "%s must be a list, not %s", k.name, n.Kind)
		return
	}
	s.siblings = n
	out := reflect.MakeSlice(into.Type(), len(items), len(items))
	for i, item := range items {
		one := out.Index(i)
		if k.form == formNamed {
			one.FieldByName("Name").SetString(n.Entries[i].Key)
		}
		s.Decode(item, one.Addr().Interface())
	}
	into.Set(out)
}

// byName reads a mapping of names to structs. Under the form byTracer "default" is kept as "".
func (s *Source) byName(k key, n *Node, into reflect.Value) {
	out := reflect.MakeMap(into.Type())
	for _, e := range s.Entries(n, k.name) {
		one, name := reflect.New(into.Type().Elem()), e.Key
		if k.form == formByTracer && name == "default" {
			name = ""
		}
		if e.Value.Kind != Null || k.form != formOrNothing {
			s.Decode(e.Value, one.Interface())
		}
		out.SetMapIndex(reflect.ValueOf(name), one.Elem())
	}
	into.Set(out)
}

// scope are the placeholders that the texts of a key may hold.
func (s *Source) scope(k key) []string {
	switch k.tag(tagWords) {
	case "run":
		return runPlaceholders
	case "build":
		return buildPlaceholders
	case "hook":
		return hookPlaceholders
	case "verify": // no process's own: the check is none
		return slices.DeleteFunc(slices.Clone(s.Known), func(word string) bool { return word == "service" || word == "port" || word == "host" })
	case "value":
		return slices.Concat(s.Known, valuePlaceholders)
	case "settings":
		return slices.Concat(s.Known, s.settings)
	}
	return s.Known
}

// Writing: the same rows in the other direction.

// Written are the keys of a struct that have a value; v is a pointer to it.
func (w Writer) Written(v any, in fileKind) Object { return w.keys(reflect.ValueOf(v).Elem(), in) }

func (w Writer) keys(v reflect.Value, in fileKind) Object {
	p := Object{}
	leaves := func(string) bool { return false }
	if of, is := v.Interface().(leaver); is {
		leaves = of.leaves
	}
	for _, k := range allKeys(v, in) {
		if leaves(k.name) {
			continue
		}
		field := v.FieldByIndex(k.index)
		if k.form == formOwn {
			if value := k.of(v).Interface().(ownWriter).WriteKey(w, k.name); value != nil {
				p.Add(k.name, value)
			}
			continue
		}
		if empty := field.IsZero() || (field.Kind() == reflect.Map || field.Kind() == reflect.Slice) && field.Len() == 0; empty && k.tag(tagAlways) == "" {
			if !w.listed || field.Kind() != reflect.Slice || field.IsNil() { // steps: [] is not the same as none said
				continue
			}
		}
		if value := w.valueOf(k, field, in); value != nil {
			p.Add(k.name, value)
		}
	}
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get(tagShown); w.listed && name != "" && !v.Field(i).IsZero() {
			p.Add(name, v.Field(i).Interface())
		}
	}
	return p
}

func (w Writer) valueOf(k key, v reflect.Value, in fileKind) any {
	if write := forms[k.form].write; write != nil {
		return write(w, v.Interface())
	}
	switch v.Kind() {
	case reflect.String:
		return v.String()
	case reflect.Struct:
		return w.keys(v, in)
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Struct {
			break
		}
		return w.items(k, v, in)
	case reflect.Map:
		if v.Type().Elem().Kind() != reflect.Struct {
			break
		}
		return w.byName(k, v, in)
	}
	return v.Interface()
}

// items are structs of a list, or of a mapping by their names.
func (w Writer) items(k key, v reflect.Value, in fileKind) any {
	all, named := []Object{}, Object{}
	for i := range v.Len() {
		one := w.keys(v.Index(i), in)
		if k.form == formNamed {
			name := v.Index(i).FieldByName("Name").String()
			named.Add(name, one)
			one = append(single("name", name), one...)
		}
		all = append(all, one)
	}
	if k.form == formNamed && !w.listed {
		return named
	}
	return all
}

func (w Writer) byName(k key, v reflect.Value, in fileKind) any {
	all, named := []Object{}, Object{}
	names := v.MapKeys()
	slices.SortFunc(names, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, name := range names {
		one := w.keys(v.MapIndex(name), in)
		word := name.String()
		if k.form == formByTracer {
			word = orDefault(word)
		}
		named.Add(word, one)
		all = append(all, append(single("name", word), one...))
	}
	if w.listed && k.form == formOrNothing {
		return all
	}
	return named
}

// durationType distinguishes durations from other whole numbers.
var durationType = reflect.TypeFor[time.Duration]()

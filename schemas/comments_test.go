package schemas_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/internal/record"
)

// base is the path of this package, and module that of the packages that it reads.
const base, module = "github.com/tracetax/tracetax/schemas", "github.com/tracetax/tracetax/internal/"

// comments are what the packages say of their types, fields and constants.
type comments struct {
	texts  map[string]string    // by package, type and field
	lists  map[string][]value   // by package and type: its constants
	values map[string]string    // what a constant is, by its name
	fields map[[2]string]string // what a field is called in JSON, by type and name
}

// value is a constant of a closed list.
type value struct{ text, comment string }

func readComments(t *testing.T) *comments {
	t.Helper()
	c := &comments{lists: map[string][]value{}, values: map[string]string{}, fields: map[[2]string]string{}}
	var r jsonschema.Reflector
	for _, name := range []string{"finding", "record", "role"} {
		if err := r.AddGoComments(base, "../internal/"+name, jsonschema.WithFullComment()); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join("..", "internal", name, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%d files of %s: %v", len(files), name, err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				c.constants(t, path.Join(module, name), file)
			}
		}
	}
	for _, name := range []string{"internal/config", "lab/graphs/topology", "internal/profile"} {
		if err := r.AddGoComments(base, "../"+name, jsonschema.WithFullComment()); err != nil {
			t.Fatal(err)
		}
	}
	c.texts = r.CommentMap
	return c
}

// constants reads the lists of constants of a file.
func (c *comments) constants(t *testing.T, pkg, file string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if structure, is := n.(*ast.TypeSpec); is {
			c.tags(structure)
		}
		spec, is := n.(*ast.ValueSpec)
		if !is || len(spec.Values) != 1 {
			return true
		}
		kind, is := spec.Type.(*ast.Ident)
		literal, isLiteral := spec.Values[0].(*ast.BasicLit)
		if !is || !isLiteral || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			t.Fatal(err)
		}
		list := pkg + "." + kind.Name
		c.lists[list] = append(c.lists[list], value{text, strings.TrimSpace(spec.Comment.Text())})
		c.values[spec.Names[0].Name] = text
		return true
	})
}

// tags notes what the fields of a struct are called in JSON.
func (c *comments) tags(of *ast.TypeSpec) {
	structure, is := of.Type.(*ast.StructType)
	if !is {
		return
	}
	for _, f := range structure.Fields.List {
		if f.Tag == nil || len(f.Names) != 1 {
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		c.fields[[2]string{of.Name.Name, f.Names[0].Name}] = name
	}
}

// told are the types whose fields the comments of a list of constants name.
var told = map[string]reflect.Type{
	"Code": reflect.TypeFor[finding.Reason](), "Kind": reflect.TypeFor[finding.Verdict](), "NoSpanCause": reflect.TypeFor[finding.NoSpanBy](),
	"Outcome": reflect.TypeFor[record.Search](),
}

// list is the schema of a type that has a closed list of values, nil of others.
func (c *comments) list(t reflect.Type) *jsonschema.Schema {
	all := c.lists[t.PkgPath()+"."+t.Name()]
	if t.Kind() != reflect.String || len(all) == 0 {
		return nil
	}
	s := &jsonschema.Schema{Type: "string", Description: c.of(t, "")}
	for _, v := range all {
		s.OneOf = append(s.OneOf, &jsonschema.Schema{Const: v.text, Description: c.plain(v.comment, told[t.Name()])})
	}
	return s
}

// of is what the code says of a type, or of a field of it, in the words of JSON.
func (c *comments) of(t reflect.Type, field string) string {
	key := t.PkgPath() + "." + t.Name()
	if field != "" {
		key += "." + field
	}
	return c.plain(c.texts[key], t)
}

// goName matches the name of a field or of a constant in a comment, also that of another type's.
var goName = regexp.MustCompile(`\b(?:[A-Z]\w*\.)?[A-Z]\w*\b`)

// plain puts a comment into the words of JSON: null, and fields and values by their names there.
func (c *comments) plain(text string, t reflect.Type) string {
	text = strings.Join(strings.Fields(text), " ")
	text = regexp.MustCompile(`\bnil\b`).ReplaceAllString(text, "null")
	return goName.ReplaceAllStringFunc(text, func(name string) string {
		if text, is := c.values[name]; is {
			return "`" + text + "`"
		}
		owner, field, qualified := strings.Cut(name, ".")
		if !qualified && t != nil {
			owner, field = t.Name(), name
		}
		if json := c.fields[[2]string{owner, field}]; json != "" {
			return "`" + json + "`"
		}
		return name
	})
}

package schema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// readAs names the mappings that package config reads by functions, by what it calls them in errors, and the types that stand for them.
var readAs = map[string]any{
	"an experiment": Experiment{}, "a variant": Variant{}, "load": Load{}, "capacity": Capacity{}, "design": Design{}, "faults": Faults{}, "a claim": Claim{},
	"an operation": Operation{}, "a step": Step{}, "body": Body{}, "a hop": Hop{},
}

// refused are keys that are read to be refused, with a hint.
var refused = map[string][]string{"a variant": {"processes"}, "load": {"invocations"}, "design": {"max"}}

// elsewhere are keys that a mapping gets from a function of their own, or by name in a loop.
var elsewhere = map[string][]string{
	"capacity":     {"p50", "p75", "p90", "p95", "p99", "p999"},
	"an operation": {"drive", "empty"},
}

// The schema's keys are those that the parser reads.
func TestKeys(t *testing.T) {
	read := keysRead(t)
	for what, of := range readAs {
		var have []string
		for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
			if !field.Anonymous {
				have = append(have, strings.Split(field.Tag.Get("json"), ",")[0])
			}
		}
		want := append(slices.DeleteFunc(slices.Clone(read[what]), func(key string) bool { return slices.Contains(refused[what], key) }), elsewhere[what]...)
		slices.Sort(have)
		slices.Sort(want)
		if want = slices.Compact(want); !slices.Equal(have, want) {
			t.Errorf("of %s the schema has the keys %v, and config reads %v", what, have, want)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(read)) {
		if _, known := readAs[what]; !known {
			t.Errorf("config reads %q, which the schema does not have", what)
		}
	}
}

// keysRead are the keys of each mapping that package config reads: those of the composite literal of fields that its call
// is given, itself or by a variable of the function.
func keysRead(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../config/*.go")
	if err != nil {
		t.Fatal(err)
	}
	read := map[string][]string{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Body != nil {
				keysIn(t, f.Body, read)
			}
		}
	}
	if len(read) < len(readAs) {
		t.Fatalf("config reads %d mappings: %v", len(read), slices.Sorted(maps.Keys(read)))
	}
	return read
}

func keysIn(t *testing.T, body *ast.BlockStmt, read map[string][]string) {
	t.Helper()
	named := map[string][]string{}
	ast.Inspect(body, func(n ast.Node) bool {
		if a, is := n.(*ast.AssignStmt); is && len(a.Lhs) == 1 {
			if name, is := a.Lhs[0].(*ast.Ident); is {
				if keys := keysOf(t, a.Rhs[0]); keys != nil {
					named[name.Name] = keys
				}
			}
			if name, key := entryOf(t, a.Lhs[0]); name != "" {
				named[name] = append(named[name], key)
			}
		}
		call, is := n.(*ast.CallExpr)
		if !is || len(call.Args) < 3 {
			return true
		}
		f, is := call.Fun.(*ast.SelectorExpr)
		if !is || f.Sel.Name != "mapping" {
			return true
		}
		what, is := call.Args[1].(*ast.BasicLit)
		if !is {
			return true
		}
		name, err := strconv.Unquote(what.Value)
		if err != nil {
			t.Fatal(err)
		}
		for _, arg := range call.Args[2:] {
			if v, is := arg.(*ast.Ident); is {
				read[name] = append(read[name], named[v.Name]...)
			}
			read[name] = append(read[name], keysOf(t, arg)...)
		}
		return true
	})
}

// entryOf is what keys["run"] names: the variable and the key; "" of anything else.
func entryOf(t *testing.T, e ast.Expr) (name, key string) {
	t.Helper()
	index, is := e.(*ast.IndexExpr)
	if !is {
		return "", ""
	}
	of, is := index.X.(*ast.Ident)
	literal, isLiteral := index.Index.(*ast.BasicLit)
	if !is || !isLiteral || literal.Kind != token.STRING {
		return "", ""
	}
	key, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	return of.Name, key
}

// keysOf are the keys of a composite literal of fields, nil of anything else.
func keysOf(t *testing.T, e ast.Expr) []string {
	t.Helper()
	literal, is := e.(*ast.CompositeLit)
	if !is {
		return nil
	}
	if kind, is := literal.Type.(*ast.Ident); !is || kind.Name != "fields" {
		return nil
	}
	var keys []string
	for _, element := range literal.Elts {
		key, is := element.(*ast.KeyValueExpr).Key.(*ast.BasicLit)
		if !is {
			continue
		}
		text, err := strconv.Unquote(key.Value)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, text)
	}
	return keys
}

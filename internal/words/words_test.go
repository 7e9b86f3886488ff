package words

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
	"github.com/tracetax/tracetax/schemas"
)

// codesIn are the codes that a file of package finding declares.
func codesIn(t *testing.T, file string) []finding.Code {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../finding/"+file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []finding.Code
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, is := n.(*ast.ValueSpec)
		if !is {
			return true
		}
		if kind, is := spec.Type.(*ast.Ident); is && kind.Name == "Code" {
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, finding.Code(code))
		}
		return true
	})
	if len(out) < 10 {
		t.Fatalf("%s declares %d codes", file, len(out))
	}
	return out
}

// Each code stands for one thing, has words, and is described in the schema.
func TestCodes(t *testing.T) {
	described := describedCodes(t)
	budget, end := 0.05, 0.1
	v := finding.Verdict{Budget: &budget, Estimate: &end, Low: &end, High: &end}
	seen := map[finding.Code]bool{}
	for file, text := range map[string]func(finding.Reason) string{
		"reason.go":        func(r finding.Reason) string { return answered{unit: "1"}.reason(r, &v) },
		"reason_ledger.go": pageText,
		"reason_beside.go": besideText,
	} {
		for _, code := range codesIn(t, file) {
			if seen[code] {
				t.Errorf("%s stands twice", code)
			}
			seen[code] = true
			if said := text(finding.Reason{Code: code, Variant: "otel", Said: "why"}); said == "" || said == string(code) {
				t.Errorf("%s has no words", code)
			}
			if !described[code] {
				t.Errorf("schemas/findings.json does not describe %s: give its constant a comment, then 'make schemas'", code)
			}
		}
	}
}

// describedCodes are the codes that the schema of findings describes.
func describedCodes(t *testing.T) map[finding.Code]bool {
	t.Helper()
	text, err := schemas.Text("findings")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Definitions map[string]struct {
			Values []struct {
				Code        finding.Code `json:"const"`
				Description string       `json:"description"`
			} `json:"oneOf"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	described := map[finding.Code]bool{}
	for _, v := range schema.Definitions["Code"].Values {
		described[v.Code] = v.Description != ""
	}
	return described
}

package words

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/finding"
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

// Each code stands for one thing, has words, and is in the documentation.
func TestCodes(t *testing.T) {
	page, err := os.ReadFile("../../docs/findings.md")
	if err != nil {
		t.Fatal(err)
	}
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
			if !strings.Contains(string(page), "`"+string(code)+"`") {
				t.Errorf("docs/findings.md does not have `%s`", code)
			}
		}
	}
}

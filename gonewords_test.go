package tracetax_test

import (
	"bytes"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// goneWord is a word that another one took the place of.
type goneWord struct {
	pattern string   // as it stands in a text whose lines are joined
	write   string   // instead
	keys    bool     // a key of YAML: looked for where YAML stands, not in Go, where a field may be called so
	stays   []string // files in which it stays
}

// goneWords are not to come back, neither in code, nor in pages and expected output. What still reads old words has to name
// them: internal/renamed and its tests, and records of before.
var goneWords = []goneWord{
	{pattern: `(?i)\bruler\b`, write: "harness"},
	{pattern: `(?i)\bknown[- ]lengths?\b`, write: "injected overhead"},
	{pattern: `\bjq (-\w+ )*\.answer\b|json:"answer"|"answer":|\bdoc\.Answer\b|` + "`answer`", write: "summary, full_summary"},
	{pattern: `(?i)unsent`, write: "suppressed"},
	{pattern: `(?i)forgone`, write: "suppressed", stays: []string{"internal/record/counts.go", "internal/record/counts_test.go"}},
	{pattern: `\bheld-back\b`, write: "suppressed"},
	{pattern: `(?m)^holds:`, write: "buffers:", keys: true, stays: []string{"internal/cli/testdata/script/renamed.txtar"}},
	{pattern: "`holds:?`", write: "`buffers`"},
	{pattern: `(?i)back[- ]to[- ]back`, write: "unthrottled"},
	{pattern: `(?:\b|_|[Uu]n)[Pp]aced|[a-z]Paced`, write: "fixed rate"},
	{pattern: `\btracetax study\b|\bstudy\.md\b|\binternal/study\b|view/study\b`, write: "replicate"},
	{pattern: `--anew\b`, write: "--reanalyze"},
	{pattern: `[{ ,]most: ?[{0-9]`, write: "max:", keys: true, stays: []string{"internal/cli/testdata/script/renamed.txtar"}},
	{pattern: `(?i)\blist(s|ed)? (it |them )?apart\b`, write: "excluded from the ranking"},
	{pattern: `\b[Kk]in\b`, write: "other languages"},
	{pattern: `(?i)\bone['’]s own\b`, write: "your, its own, the user's own"},
	{pattern: `(?i)\bmak(e|es|ing) (itself|themselves) work\b`, write: "self-driving"},
	{pattern: `(?i)\bnot sure among\b`, write: "not significant after correction for"},
}

// passedOver are files whose words are not ours, or that are made of others that are looked at.
var passedOver = []string{
	"gonewords_test.go", "internal/renamed/*", "internal/spec/old_test.go", "internal/cli/testdata/script/renamed.txtar", // they name them
	"LICENSE", "package-lock.json", "packages.lock.json", "Cargo.lock", "go.sum", "maven.lock", "requirements.txt", // others' names and checksums
	"*.published.csv",                       // what others published
	"internal/report/page/assets/charts.js", // made of web/
	"CHANGELOG.md",                          // the line on the renaming
}

func passes(file string) bool {
	return slices.ContainsFunc(passedOver, func(pattern string) bool {
		whole, _ := path.Match(pattern, file)
		base, _ := path.Match(pattern, path.Base(file))
		return whole || base || strings.Contains(file, "/testdata/fuzz/") || strings.HasSuffix(pattern, "/*") && strings.HasPrefix(file, strings.TrimSuffix(pattern, "*"))
	})
}

// joints are ends of lines, with what begins the next one of a comment.
var joints = regexp.MustCompile(`\n[ \t]*(?://|#|\*|>)?[ \t]*`)

// gone are the words in a text of a file that are not to stand there, each with the text around it.
func gone(file, text string) []string {
	var out []string
	joined := joints.ReplaceAllString(text, " ")
	for _, word := range goneWords {
		if slices.Contains(word.stays, file) || word.keys && path.Ext(file) == ".go" {
			continue
		}
		in := joined
		if strings.HasPrefix(word.pattern, "(?m)") {
			in = text
		}
		for _, at := range regexp.MustCompile(word.pattern).FindAllStringIndex(in, -1) {
			around := strings.ToValidUTF8(in[max(0, at[0]-40):min(len(in), at[1]+40)], "")
			out = append(out, "…"+strings.ReplaceAll(around, "\n", " ")+"…: write "+word.write)
		}
	}
	return out
}

func TestGoneWords(t *testing.T) {
	listed, err := exec.CommandContext(t.Context(), "git", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("no checkout that git knows: %v", err)
	}
	for file := range strings.SplitSeq(strings.TrimRight(string(listed), "\x00"), "\x00") {
		for _, found := range gone(file, file) {
			if !passes(file) {
				t.Errorf("the name of %s: %s", file, found)
			}
		}
		if passes(file) {
			continue
		}
		text, err := os.ReadFile(file)
		if os.IsNotExist(err) { // taken away, and git was not told
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(text, 0) >= 0 || !utf8.Valid(text) {
			continue
		}
		for _, found := range gone(file, string(text)) {
			t.Errorf("%s: %s", file, found)
		}
	}
}

// Each gone word is found, also over the end of a line, and what only looks like it is not.
func TestGoneWordsAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"the ruler": true, "a known length": true, "doc.Answer": true, "UnsentMark": true, "forgone": true, "held-back": true,
		"x: 1\nholds: 7": true, "`holds`": true, "asked back\n// to back": true, "makePaced()": true, "paced at": true, "calls-paced.csv": true, "make_paced": true, "Unpaced": true,
		"tracetax study DIR": true, "[study](study.md)": true, "--anew": true, "{lost: 0, most: 900/s}": true, "most: {depth: 4}": false, " most: {depth: 4}": true,
		"listed\n\t// apart": true, "the kin of": true, "one's own": true, "makes itself\n  # work": true, "not sure among 3": true,
		"evenly spaced": false, "what the file holds": false, "the answer of a server": false, "a published study": false, "the most that": false, "kind": false, "back again": false, "namespaced": false,
	} {
		if found := gone("page.md", text); len(found) > 0 != want {
			t.Errorf("%q: %q", text, found)
		}
	}
	if found := gone("a.go", "x{most: 4}"); len(found) > 0 {
		t.Errorf("a field: %q", found)
	}
}

package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tracetax/tracetax/internal/cli/console"
)

// Findings that are not whole are told with their file, with what is wrong, and with what
// can be done about it here.
func TestBrokenFindings(t *testing.T) {
	const cut = `{"schema": 3, "fi`
	records := []string{"runs.jsonl", "experiment.yaml", "environment.json"}
	for name, c := range map[string]struct {
		text   string
		beside []string // other files in the folder
		want   string   // behind the file; DIR is the folder
	}{
		"cut off":        {cut, records, "is cut off: make it again from the records with: tracetax report DIR --reanalyze"},
		"empty":          {"", records, "is cut off: make it again from the records with: tracetax report DIR --reanalyze"},
		"no JSON":        {"hello", records, "is no findings document (reading findings: invalid character 'h' looking for beginning of value): make it again from the records with: tracetax report DIR --reanalyze"},
		"something else": {"{}", records, "is no findings document (reading findings: no schema version: is this a findings.json of tracetax?): make it again from the records with: tracetax report DIR --reanalyze"},
		"no records":     {cut, nil, "is cut off: there is no runs.jsonl beside it to make it again from; take a whole copy of it, or measure again"},
		"earlier":        {`{"schema": 1}`, records, "is of an earlier tracetax: make it again from the records with: tracetax report DIR --reanalyze"},
		"no experiment":  {cut, records[:1], "is cut off: there is no experiment.yaml beside it to make it again from; take a whole copy of it, or measure again"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "findings.json")
			write(t, file, c.text)
			for _, other := range c.beside {
				write(t, filepath.Join(dir, other), "")
			}
			want := file + " " + strings.ReplaceAll(c.want, "DIR", dir)
			for _, args := range [][]string{{"report", dir}, {"replicate", dir}, {"compare", dir, dir}, {"compare", file, file}} {
				if _, got := refused(t, args...); !strings.Contains(got, want) {
					t.Errorf("%q: %s\nwant %s", args, got, want)
				}
			}
			if len(c.beside) > 0 {
				return
			}
			if _, got := refused(t, "report", dir, "--reanalyze"); !strings.Contains(got, want) || strings.Contains(got, "--reanalyze") {
				t.Errorf("--reanalyze: %s\nwant %s", got, want)
			}
		})
	}
}

// A file in the place of a results folder is told with the folder.
func TestFileInsteadOfFolder(t *testing.T) {
	dir, elsewhere := result(t), filepath.Join(t.TempDir(), "shop.yaml")
	file, page := filepath.Join(dir, "findings.json"), filepath.Join(dir, "report.html")
	write(t, page, "<!doctype html>")
	write(t, elsewhere, "workload: hello/go")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"report", file}, file + " is a file: give the folder: " + dir},
		{[]string{"report", file, "--reanalyze"}, file + " is a file: give the folder: " + dir},
		{[]string{"report", elsewhere}, elsewhere + " is a file: give a results folder"},
		{[]string{"replicate", page}, page + " is a file: give the folder: " + dir},
		{[]string{"run", "--resume", file}, file + " is a file: give the folder: " + dir},
		{[]string{"run", "ladder", "--resume", page, "--dry-run"}, page + " is a file: give the folder: " + dir},
		{[]string{"compare", dir, page}, page + " is no findings document (reading findings: invalid character '<' looking for beginning of value): give the folder: " + dir},
	} {
		if status, got := refused(t, c.args...); status != console.Usage || !strings.Contains(got, c.want) {
			t.Errorf("%q: status %d: %s\nwant %s", c.args, status, got, c.want)
		}
	}
}

// refused runs a command that has to fail, and returns its exit status and what it says.
func refused(t *testing.T, args ...string) (status int, says string) {
	t.Helper()
	var out, errOut bytes.Buffer
	status = Main(args, strings.NewReader(""), &out, &errOut)
	if status == console.Fine || out.Len() > 0 {
		t.Errorf("%q: status %d, stdout %.300q", args, status, out.String())
	}
	return status, errOut.String()
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

package report

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTmpPages(t *testing.T) {
	dir := os.Getenv("TMP_PAGES")
	if dir == "" {
		t.Skip()
	}
	all := fixtures()
	f, err := os.Open("../analysis/testdata/findings.json")
	if err == nil {
		d, err := Read(f)
		if err != nil {
			t.Fatal(err)
		}
		all["real"] = d
		Terminal(os.Stdout, d, TerminalOptions{Width: 80})
		Terminal(os.Stdout, d, TerminalOptions{Width: 140})
	}
	for name, doc := range all {
		f, _ := os.Create(filepath.Join(dir, name+".html"))
		if err := HTML(f, doc); err != nil {
			t.Fatal(name, err)
		}
		f.Close()
	}
}

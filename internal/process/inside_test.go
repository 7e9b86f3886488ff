//go:build linux

package process

import (
	"os"
	"path/filepath"
	"testing"
)

func TestInside(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "agent.so")
	if err := os.WriteFile(file, []byte("agent"), 0o644); err != nil {
		t.Fatal(err)
	}
	// The outer shell has the variable and the file; what it starts has neither.
	p, err := open(t, AccountingAuto).Start(t.Context(), Command{
		Name: "outer", Env: append(os.Environ(), "TOLD=1"),
		Args: []string{"sh", "-c", `exec 7<"$0"; env -i sh -c 'echo up; exec sleep 60' 7<&- & wait`, file},
	})
	if err != nil {
		t.Fatal(err)
	}
	ready(t, p, "log:up")
	got, err := p.Inside([]string{"TOLD"}, folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	for _, one := range got {
		if one.Program == "" || one.Lacks == one.Holds { // the one that was told holds the file
			t.Errorf("%+v of %+v", one, got)
		}
	}
	if got[0].Lacks == got[1].Lacks {
		t.Errorf("%+v", got)
	}
	if got[0].Start == got[1].Start || got[0].Start == "" || got[0].Names == got[1].Names {
		t.Errorf("two programs that were started apart, of which one was told of the folder: %+v", got)
	}
	if none, err := p.Inside(nil, ""); err != nil || len(none) != 2 || none[0].Lacks || none[0].Holds || none[1].Holds {
		t.Errorf("asked for nothing: %+v, %v", none, err)
	}
}
